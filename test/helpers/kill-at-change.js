// Loaded into the program with `--import`: kills it in the middle of its nth change to the disk.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { isMainThread } from "node:worker_threads";

/**
 * The change to die at, or so many milliseconds after; without one, the number of changes goes to a
 * file at the end.
 */
const { KILL_AT, KILL_AFTER_MS = "0", KILL_IN = "", KILL_COUNT } = process.env;
const folders = KILL_IN.split(path.delimiter);
let count = 0;

const isInside = (name) => {
    const place = path.resolve(String(name));
    return folders.some((folder) => place === folder || place.startsWith(folder + path.sep));
};

/** `tear` does a part of the change first. */
function note(tear) {
    count += 1;
    if (count !== Number(KILL_AT)) return;
    if (KILL_AFTER_MS !== "0") return void setTimeout(kill, Number(KILL_AFTER_MS)).unref();
    tear?.();
    kill();
    for (;;);
}

const kill = () => process.kill(process.pid, "SIGKILL");

const READING = new Set([undefined, "r", fs.constants.O_RDONLY]);
const NAMES = [
    ...["appendFile", "chmod", "copyFile", "link", "mkdir", "mkdtemp", "open", "rename", "rm"],
    ...["rmdir", "symlink", "truncate", "unlink", "utimes", "lutimes", "writeFile"],
];
for (const [place, suffix] of [
    [fs.promises, ""],
    [fs, "Sync"],
]) {
    for (const name of NAMES) {
        const original = place[name + suffix];
        place[name + suffix] = function (...given) {
            const isChange = name !== "open" || !isReading(given[1]);
            // The name of a link is the second.
            if (isChange && (isInside(given[0]) || isInside(given[1] ?? "/"))) note();
            return Reflect.apply(original, this, given);
        };
    }
}
for (const name of ["writeSync", "fsyncSync", "ftruncateSync"]) {
    const original = fs[name];
    fs[name] = function (...given) {
        if (isInside(nameOf(given[0]))) {
            note(name === "writeSync" ? () => torn(original, given[0], given[1]) : undefined);
        }
        return Reflect.apply(original, this, given);
    };
}

const handle = await fs.promises.open("/dev/null", "r");
const prototype = Object.getPrototypeOf(handle);
await handle.close();
const writeSync = fs.writeSync;
for (const name of ["appendFile", "chmod", "datasync", "sync", "truncate", "write", "writeFile"]) {
    const original = prototype[name];
    prototype[name] = function (...given) {
        if (isInside(nameOf(this.fd))) {
            note(/^[aw]/.test(name) ? () => torn(writeSync, this.fd, given[0]) : undefined);
        }
        return Reflect.apply(original, this, given);
    };
}
syncBuiltinESMExports();

function isReading(flags) {
    return READING.has(flags) || (typeof flags === "number" && (flags & 3) === 0);
}

function nameOf(descriptor) {
    try {
        return fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
        return "/";
    }
}

/** Writes the first half. */
function torn(write, descriptor, data) {
    const bytes = Buffer.from(data);
    if (bytes.length > 1) write(descriptor, bytes.subarray(0, bytes.length >> 1));
}

if (KILL_COUNT !== undefined && isMainThread) {
    process.on("exit", () => count > 0 && fs.writeFileSync(KILL_COUNT, String(count)));
}
