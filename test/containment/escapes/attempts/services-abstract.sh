# An abstract socket of a service outside is not there.
# Source: the first attacks
# Escape: the service gets a connection
node -e 'require("net").connect("\0" + process.env.ABSTRACT).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))'
