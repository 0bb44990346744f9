# No descriptor but the three usual ones is inherited.
# Source: third review, held
# Escape: another descriptor is open
# Forbidden: ^inherited
for file in /proc/self/fd/*; do number=${file##*/}; ((number > 2)) && [[ -e /proc/$$/fd/$number ]] && [[ $(readlink "/proc/$$/fd/$number") != */start ]] && echo "inherited $number: $(readlink "/proc/$$/fd/$number")"; done; true
