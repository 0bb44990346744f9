#!/usr/bin/env node
// Builds, then runs: for working on North itself.
import("../scripts/build.js")
    .then(({ buildProgram }) => buildProgram())
    .then(() => require("./run.js"));
