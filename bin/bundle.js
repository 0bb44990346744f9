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
} = require("node:fs");
const { createRequire } = require("node:module");
const { homedir } = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const v8 = require("node:v8");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

/**
 * The first run stores what it loaded shortly after its start, or on exit if sooner. After that the
 * cache, which takes megabytes, is needed only when a script is loaded late.
 */
const SETTLED_AFTER_MS = 2_000;
/** Number of versions (of North or Node) that keep a cache. */
const KEPT_FILES = 4;
const SUM_BYTES = 4;

const root = path.join(__dirname, "../dist/chunks");
const packages = createRequire(path.join(root, "north.js"));
const modules = new Map();
/** The functions of all files read so far, by script name. */
const scripts = {};
/** V8's cached data by script name, and the names of the modules whose code it contains. */
let file;
let cache;
let settling;
const loaded = new Map();
/** A module was loaded that the cache lacks. */
let isIncomplete = false;

/** Loads a script; the bundle contains most and names the cache. */
exports.load = (bundle, name) => {
    if (file === undefined) {
        prepareCache(bundle);
        read(bundle);
    }
    return loadScript(name);
};

/** Afterwards modules run anew, as in a new process. For tests, which run many programs in one. */
exports.forget = () => modules.clear();

function loadScript(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const filename = `${root}/${name}`;
    const module = { exports: {} };
    const meta = {
        // Few scripts need it.
        get url() {
            return pathToFileURL(filename).href;
        },
    };
    modules.set(name, module);
    if (!scripts[name]) read(name);
    if (!cached().modules.has(name)) isIncomplete = true;
    try {
        scripts[name](module.exports, requireModule, module, filename, root, meta, importModule);
    } catch (error) {
        modules.delete(name);
        throw error;
    }
    return module.exports;
}

/** The build puts all scripts in one folder. */
function requireModule(specifier) {
    return specifier.startsWith(".") ? loadScript(specifier.slice(2)) : packages(specifier);
}
requireModule.resolve = packages.resolve;

/** Cached code has no host-defined import callback, so `import()` must be done out here. */
async function importModule(specifier) {
    if (!specifier.startsWith(".")) return import(specifier);
    // As with a real import, run the code after the call first.
    await undefined;
    return requireModule(specifier);
}

/** Reads the scripts of a file. */
function read(name) {
    const filename = `${root}/${name}`;
    // The build writes ASCII only.
    const source = readFileSync(filename, "latin1");
    const cachedData = cached().data[name];
    const script = new Script(source, { filename, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) isIncomplete = true;
    loaded.set(name, script);
    Object.assign(scripts, script.runInThisContext());
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
    return { data: {}, modules: new Set() };
}

function storeCache() {
    if (!isIncomplete) return;
    const all = cached();
    // Known scripts too: what loads a new module also compiles more of their functions.
    for (const [name, script] of loaded) all.data[name] = script.createCachedData();
    for (const name of modules.keys()) all.modules.add(name);
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
