# A secret cannot be cloned, sent or mapped.
# Source: third review, held
# Escape: the secret is printed
cp --reflink=always .env c; cat c; python3 -c '
import mmap, os
f = os.open(".env", os.O_RDONLY); os.sendfile(1, f, 0, 100); os.copy_file_range(f, 1, 100)
print(mmap.mmap(f, 0, prot=mmap.PROT_READ)[:])'
