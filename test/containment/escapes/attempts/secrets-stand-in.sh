# Settings that are a link to a file outside do not show what is in it.
# Source: attack on the rebuilt containment
# Escape: text of the file is printed
### outside
printf '//registry.example/:_authToken=npm_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5\nhunter2-beside\n' >"$NEIGHBOUR/list"
printf '[http]\n\textraheader = Authorization: Bearer aB3dE5fG7hI9jK1lM3nO\n[user]\n\tname = hunter2-beside\n' >"$NEIGHBOUR/settings"
ln -sf ../neighbour/list .npmrc; ln -sf ../neighbour/settings .gitconfig
mkdir -p lib .yarn; ln -sf ../../neighbour/list lib/.npmrc; ln -sf ../neighbour/list .yarnrc; ln -sf ../neighbour/list pip.conf
git config include.path "$PROJECT/included"; ln -sf ../neighbour/settings included
### contained
chmod 644 .npmrc .gitconfig lib/.npmrc .yarnrc pip.conf included; cat .npmrc .gitconfig lib/.npmrc .yarnrc pip.conf included; git config --list
