# A name that is not UTF-8 leaves no process behind.
# Source: third review, finding 26
# Escape: a file of the project differs, or an internal error is told
# Forbidden: ENOENT|lstat|upper
touch $'\xff'; mkdir $'d\xfe'; echo x >$'d\xfe/\xfd'
