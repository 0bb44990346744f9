# A folder of programs in HOME does not show credentials beside it.
# Source: third review, finding 14
# Escape: a credential is printed
cat ~/sdk/.env ~/sdk/.aws/credentials ~/sdk/credentials.json; ~/sdk/bin/tool
