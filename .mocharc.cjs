const { availableParallelism } = require("node:os");

module.exports = {
    "node-option": ["import=tsx", "import=./test/helpers/typescript-in-workers.js"],
    require: ["test/helpers/bootstrap.ts"],
    ignore: ["test/fixtures/**"],
    timeout: 90_000,
    parallel: true,
    // More than there are cores: the tests of whole programs mostly wait.
    jobs: availableParallelism() + 3,
    extension: ["ts"],
};
