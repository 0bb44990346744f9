// Loads the built program with V8's code cache: parsing would take half of the time to the prompt.
// Node has its own such cache only from 22.1 on.
const {
    existsSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    renameSync,
    rmSync,
    statSync,
    writeFileSync,
} = process.getBuiltinModule("node:fs");
const { createRequire } = process.getBuiltinModule("node:module");
const { homedir } = process.getBuiltinModule("node:os");
const path = process.getBuiltinModule("node:path");
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule("node:url");
const v8 = process.getBuiltinModule("node:v8");
const { Script } = process.getBuiltinModule("node:vm");
const { crc32 } = process.getBuiltinModule("node:zlib");

/**
 * The first run stores what it loaded shortly after its start, or on exit if sooner. After that the
 * cache, which takes megabytes, is needed only when a script is loaded late.
 */
const SETTLED_AFTER_MS = 2_000;
/** Number of versions (of North or Node) that keep a cache. */
const KEPT_FILES = 4;
const SUM_BYTES = 4;

const root = fileURLToPath(new URL("../dist", import.meta.url));
const packages = createRequire(path.join(root, "north.js"));
const modules = new Map();
/** The functions of all files read so far, by script name. */
const scripts = {};
/** V8's cached data, by script name. */
let file;
let cache;
let settling;
const loaded = new Map();
/** A script was loaded that the cache lacks. */
let isIncomplete = false;

/** Loads a script of the bundle; the first one loaded names the cache. */
export function load(name) {
    if (modules.size === 0) prepareCache(name);
    return loadScript(name);
}

function loadScript(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const filename = path.join(root, name);
    const folder = path.dirname(name);
    const require = (specifier) =>
        specifier.startsWith(".") ? loadScript(path.join(folder, specifier)) : packages(specifier);
    require.resolve = packages.resolve;
    // Cached code has no host-defined import callback, so `import()` must be done out here.
    const importModule = async (specifier) => {
        if (!specifier.startsWith(".")) return import(specifier);
        // As with a real import, run the code after the call first.
        await undefined;
        return require(specifier);
    };
    const names = [filename, path.dirname(filename), pathToFileURL(filename).href];
    try {
        scriptOf(name, filename)(module.exports, require, module, ...names, importModule);
    } catch (error) {
        modules.delete(name);
        throw error;
    }
    return module.exports;
}

/** Returns a script; its file also contains those that are always loaded with it. */
function scriptOf(name, filename) {
    if (!scripts[name]) {
        // The build writes ASCII only.
        const source = readFileSync(filename, "latin1");
        const cachedData = cached()[name];
        const script = new Script(source, { filename, cachedData });
        if (cachedData === undefined || script.cachedDataRejected) isIncomplete = true;
        loaded.set(name, script);
        Object.assign(scripts, script.runInThisContext());
    }
    return scripts[name];
}

function prepareCache(name) {
    const { NORTH_STATE_DIR, HOME } = process.env;
    const state = NORTH_STATE_DIR || path.join(HOME || homedir(), ".local", "state", "north");
    // Security: never run code from the current folder, where North happens to be started.
    if (!path.isAbsolute(state)) return;
    file = path.join(state, "code", `${path.parse(name).name}-${v8.cachedDataVersionTag()}`);
    process.once("exit", storeCache);
    settling = setTimeout(() => {
        storeCache();
        cache = undefined;
    }, SETTLED_AFTER_MS).unref();
}

function cached() {
    settling?.refresh();
    cache ??= readCache();
    return cache;
}

function readCache() {
    try {
        const content = readFileSync(file);
        const data = content.subarray(SUM_BYTES);
        // V8 does not check, and a damaged cache crashes the process.
        if (crc32(data) === content.readUInt32LE()) return v8.deserialize(data);
    } catch {
        // Missing or damaged: it will be rebuilt.
    }
    return {};
}

function storeCache() {
    if (!isIncomplete) return;
    const all = cached();
    // Known scripts too: what loads a new script also compiles more of their functions.
    for (const [name, script] of loaded) all[name] = script.createCachedData();
    isIncomplete = false;
    const temporary = `${file}.${process.pid}`;
    try {
        const folder = path.dirname(file);
        makeFolder(folder);
        const data = v8.serialize(all);
        const sum = Buffer.alloc(SUM_BYTES);
        sum.writeUInt32LE(crc32(data));
        writeFileSync(temporary, Buffer.concat([sum, data]), { mode: 0o600 });
        renameSync(temporary, file);
        sweep(folder);
    } catch {
        // Without a cache, the next start is as slow as this one. Delete the partial file: it would
        // fill up a full disk.
        discard(temporary);
    }
}

/**
 * Not `mkdir({ recursive: true })`, which loops forever in a folder that accepts no entries, such
 * as /proc.
 */
function makeFolder(folder) {
    if (existsSync(folder)) return;
    makeFolder(path.dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
}

function discard(temporary) {
    try {
        rmSync(temporary, { force: true });
    } catch {
        // Read-only disk: nothing was written.
    }
}

function sweep(folder) {
    const files = readdirSync(folder).map((name) => path.join(folder, name));
    const age = new Map(files.map((each) => [each, statSync(each).mtimeMs]));
    files.sort((one, other) => age.get(other) - age.get(one));
    for (const old of files.slice(KEPT_FILES)) rmSync(old, { force: true });
}
