// Installs packages if they are missing or older than the lock file.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";

const installed = "node_modules/.package-lock.json";
const isFresh =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync("package-lock.json").mtimeMs;
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(`North needs Node 20.19 or newer; this is ${process.version}.\n`);
    process.exitCode = 1;
} else if (!isFresh) {
    process.stderr.write("Installing packages...\n");
    const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
        stdio: ["ignore", "inherit", "inherit"],
    });
    process.exitCode = status ?? 1;
}
