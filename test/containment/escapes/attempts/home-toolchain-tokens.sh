# Credentials that tools keep in shown folders are hidden.
# Source: third review, finding 14
# Escape: a credential is printed
cat ~/.stack/upload/credentials.json ~/.gradle/gradle.properties ~/.npmrc
