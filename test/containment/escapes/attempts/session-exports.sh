# No exported variable reaches a command that runs for real.
# Source: third review, finding 2
# Escape: the variable is there
# Forbidden: ^(?:PIP_INDEX_URL|ZDOTDIR|OPENSSL_CONF|UV_INDEX_URL|RIPGREP_CONFIG_PATH|CDPATH|SSL_CERT_FILE|NVM_DIR|ANYTHING)=
export PIP_INDEX_URL=http://evil/ ZDOTDIR=$PROJECT OPENSSL_CONF=$PROJECT/x UV_INDEX_URL=http://evil/
export RIPGREP_CONFIG_PATH=$PROJECT/x CDPATH=$PROJECT SSL_CERT_FILE=$PROJECT/x NVM_DIR=$PROJECT ANYTHING=1
### real
env
