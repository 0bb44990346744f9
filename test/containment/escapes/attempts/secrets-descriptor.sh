# A secret's stand-in leads to the secret by no descriptor.
# Source: third review, held
# Escape: the secret is printed
exec 3<.env; cat <&3; cat /proc/self/fd/3; python3 -c 'import os; f = os.open(".env", os.O_PATH); print(open("/proc/self/fd/%d" % f).read())'
