# A socket of a service outside refuses.
# Source: the first attacks
# Escape: the service gets a connection
node -e 'require("net").connect(process.env.SERVICE).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))'
