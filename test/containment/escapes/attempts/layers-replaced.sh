# A layer replaced by a link leads nowhere.
# Source: third review, finding 1
# Escape: a key of HOME becomes an effect
trap 'printf ".\0" >/run/north/left' EXIT
### contained
cd writable 2>/dev/null && for run in */; do
    (cd "$run/project" && mv upper gone && ln -s "$HOME/.ssh" upper && ln -s "$PLACE/home/.ssh" upper)
done
### contained
cd / && for layer in $(find / -xdev -type d -name upper 2>/dev/null); do
    mv "$layer" "$layer.gone" && ln -s "$PLACE/home/.ssh" "$layer"
done
