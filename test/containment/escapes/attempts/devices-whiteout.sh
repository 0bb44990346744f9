# A whiteout that the command makes deletes nothing.
# Source: third review, held
# Escape: a file of the project is gone
mknod a.txt.gone c 0 0; rm a.txt; mknod a.txt c 0 0; mknod src/b.txt c 0 0; mkdir -p src2; mknod src2/x c 0 0
