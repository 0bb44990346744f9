#!/usr/bin/env node
// Answers `--version` directly, without loading anything else. CommonJS starts faster.
const { existsSync, readFileSync } = require("node:fs");
const { homedir } = require("node:os");
const path = require("node:path");

const START = path.join(__dirname, "../dist/host/start.cjs");
/** As Node exits if a module still waits: `start` did not end. */
const UNSETTLED = 13;

const [first] = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(
        `North needs Node 20.19 or newer; this is ${process.versions.node}.\n` +
            "  Install a newer Node from https://nodejs.org, then start North again.\n"
    );
    process.exitCode = 1;
} else if (first === "--version" || first === "-v") {
    const file = path.join(__dirname, "../package.json");
    const { name, version } = JSON.parse(readFileSync(file, "utf8"));
    process.stdout.write(
        `${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`
    );
} else if (!existsSync(START)) {
    process.stderr.write("North is not built.\n  Run `npm start` in its folder once.\n");
    process.exitCode = 1;
} else if (!isKnown(homedir)) {
    process.stderr.write(
        "North found no home folder.\n  Set HOME to a folder that North may write to.\n"
    );
    process.exitCode = 1;
} else if (!isKnown(process.cwd)) {
    process.stderr.write(
        "The current folder does not exist any more.\n" +
            "  Change to another one, then start North again.\n"
    );
    process.exitCode = 1;
} else {
    run(process.argv.slice(2));
}

async function run(argv) {
    const onExit = () => (process.exitCode ??= UNSETTLED);
    process.on("exit", onExit);
    await require(START).start(argv);
    process.off("exit", onExit);
    // A timer or server left running by a plugin must not keep North from exiting.
    setInterval(() => {
        const isWritten = process.stdout.writableLength + process.stderr.writableLength === 0;
        if (isWritten) process.exit();
    }, 1_000).unref();
}

/** Node throws where a container's user has no passwd entry, and where a folder was deleted. */
function isKnown(folder) {
    try {
        return folder() !== "";
    } catch {
        return false;
    }
}
