const { availableParallelism } = require("node:os");

// See test/helpers/patience.ts.
const { NORTH_TEST_SLOWNESS: slowness = "1" } = process.env;

module.exports = {
    "node-option": ["import=tsx", "import=./test/helpers/typescript-in-workers.js"],
    require: ["test/helpers/bootstrap.ts"],
    ignore: ["test/fixtures/**"],
    timeout: 90_000 * Number(slowness),
    parallel: true,
    // More than there are cores: the tests of whole programs mostly wait, unless the machine is slow.
    jobs: availableParallelism() + (Number(slowness) > 2 ? 0 : 3),
    extension: ["ts"],
};
