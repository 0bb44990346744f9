# A file outside cannot be changed through memory.
# Source: third review, held
# Escape: the file differs
python3 -c '
import mmap, os
f = os.open(os.environ["OUTSIDE"] + "/file.txt", os.O_RDONLY); m = mmap.mmap(f, 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE); m[0] = 120'; exec 3<"$OUTSIDE/file.txt"; echo x >/proc/self/fd/3
