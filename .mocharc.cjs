const { availableParallelism } = require("node:os");

module.exports = {
    "node-option": [
        "import=tsx",
        "import=./test/helpers/typescript-in-workers.js",
        // V8 would spend a tenth of the time on optimising functions that run a few times more. Newer
        // ones know no such option, and optimise later.
        ...(process.versions.node.startsWith("20.") ? ["interrupt-budget=1000000"] : []),
    ],
    require: ["test/helpers/bootstrap.ts"],
    ignore: ["test/fixtures/**"],
    timeout: 90_000,
    parallel: true,
    // More than there are cores: the tests of whole programs mostly wait.
    jobs: availableParallelism() + 3,
    extension: ["ts"],
};
