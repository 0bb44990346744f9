// Mocha's spec reporter, which also lists the files of failed tests in the file NORTH_TEST_FAILED.
/* eslint-disable @typescript-eslint/no-require-imports -- mocha loads reporters as CommonJS */
const { writeFileSync } = require("node:fs");
const Mocha = require("mocha");

module.exports = class SpecWithFailedFiles extends Mocha.reporters.Spec {
    constructor(runner, options) {
        super(runner, options);
        const files = new Set();
        runner.on("fail", ({ file, parent }) => files.add(file ?? parent?.file));
        runner.on("end", () => {
            const list = process.env.NORTH_TEST_FAILED;
            if (list) writeFileSync(list, JSON.stringify([...files]));
        });
    }
};
