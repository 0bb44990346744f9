# Credentials in a toolchain's folder cannot be read, its programs can.
# Source: the first attacks
# Escape: the token is printed
cat ~/.cargo/credentials.toml; ~/.cargo/bin/tool
