import { expect } from "chai";
import {
    existsSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    rmSync,
    statSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { deserialize } from "node:v8";
import { eventually, Workplace } from "../helpers/north-program.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type ReceivedRequest,
} from "../helpers/vendors/messages-server.js";

/** Writes to stderr, at the end, whether Node loaded its own HTTP client. */
const LOAD_WATCH = `
    process.on("exit", () => {
        const isLoaded = process.moduleLoadList.some((name) => name.endsWith("undici/undici"));
        process.stderr.write(isLoaded ? "HTTP client loaded" : "HTTP client not loaded");
    });`;

describe("Code cache", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace({}, false);
    });
    afterEach(() => place.remove());

    const folder = () => path.join(place.home, ".local", "state", "north", "code");
    const files = () => readdirSync(folder()).map((name) => path.join(folder(), name));
    const models = () => place.run(["models"]);
    /** The cached data by script; a file with a process id is still being written. */
    const cachedData = (): Record<string, Buffer> =>
        Object.assign(
            {},
            ...files()
                .filter((file) => !/\.\d+$/.test(file))
                .map((file) => deserialize(readFileSync(file).subarray(4)).data)
        );
    const cached = () => Object.keys(cachedData());

    it("The code cache is one private file that the next run leaves unchanged", async () => {
        const first = await models();
        const [file = "", ...others] = files();
        expect(others).to.deep.equal([]);
        expect(statSync(file).mode & 0o777).to.equal(0o600);
        utimesSync(file, 1, 1);

        const second = await models();
        expect(second).to.deep.equal(first);
        expect(statSync(file).mtimeMs).to.equal(1_000);
    });

    it("The code cache grows by what a later command loads", async () => {
        await place.run(["costs"]);
        const [file = ""] = files();
        const before = statSync(file).size;
        await models();
        expect(statSync(file).size).to.be.greaterThan(before);
    });

    it("The code cache grows by what a later command uses of scripts that were loaded before", async () => {
        await models();
        const before = cachedData();
        const end = await place.run(["-p", "list files", "--model", "offline"]);
        expect(end.code).to.equal(0);
        const after = cachedData();
        const grown = Object.keys(before).filter(
            (name) => (after[name]?.length ?? 0) > (before[name]?.length ?? 0)
        );
        expect(grown).to.have.length.greaterThan(0);
        expect(Object.keys(after)).to.include.members(Object.keys(before));
    });

    it("The code cache keeps what it had when a script is loaded long after it was stored", async () => {
        let stored: readonly string[] = [];
        const isStored = async () => {
            await eventually(() => existsSync(folder()) && cached().length > 0, "a stored cache");
            stored = cached();
        };
        const outline = toolUse("call_1", "get_file_outline", { path: "a.ts" });
        const script = ({ body }: ReceivedRequest) =>
            body.messages.length > 1
                ? reply(text("Done."))
                : { ...reply(outline), gate: isStored() };
        const server = await startMessagesServer({ script });
        const env = { ANTHROPIC_API_KEY: "a-key-of-the-test", ANTHROPIC_BASE_URL: server.url };
        try {
            writeFileSync(path.join(place.repository, "a.ts"), "export const a = 1;\n");
            const end = await place.run(["-p", "Outline a.ts"], { env });
            expect(end.stdout).to.contain("Done.");
            expect(cached()).to.include.members([...stored]);
            expect(cached().length).to.be.greaterThan(stored.length);
        } finally {
            await server.close();
        }
    });

    it("A code cache damaged anywhere is rebuilt", async () => {
        const first = await models();
        const [file = ""] = files();
        const whole = readFileSync(file);
        for (const share of [0, 0.3, 0.6, 0.999]) {
            const damaged = Buffer.from(whole);
            const at = Math.floor(share * damaged.length);
            damaged[at] = (damaged[at] ?? 0) ^ 0x10;
            writeFileSync(file, damaged);
            expect(await models()).to.deep.equal(first);
            expect(readFileSync(file).equals(damaged)).to.equal(false);
        }
        writeFileSync(file, whole.subarray(0, whole.length / 2));
        expect(await models()).to.deep.equal(first);
    });

    it("Only the newest caches of other versions are kept", async () => {
        await place.run(["costs"]);
        for (let version = 1; version <= 6; version += 1) {
            const old = path.join(folder(), `north-OLD-${version}`);
            writeFileSync(old, "old");
            utimesSync(old, version, version);
        }
        await models();
        const names = files().map((file) => path.basename(file));
        const kept = names.filter((name) => name.startsWith("north-OLD"));
        expect([names.length, kept.sort()]).to.deep.equal([
            4,
            ["north-OLD-4", "north-OLD-5", "north-OLD-6"],
        ]);
    });

    it("The code cache is never looked for in the start folder", async () => {
        await place.run(["models"], { env: { NORTH_STATE_DIR: "state" } });
        const inside = readdirSync(place.repository, { recursive: true });
        expect(inside.filter((name) => String(name).includes("code"))).to.deep.equal([]);
    });

    it("North runs where no code cache can be stored", async () => {
        const end = await place.run(["models"], { env: { NORTH_STATE_DIR: "/dev/null/state" } });
        expect([end.code, end.stderr]).to.deep.equal([0, ""]);
    });

    it("A code cache that cannot be stored, as on a full disk, leaves nothing behind", async () => {
        await models();
        const [file = ""] = files();
        rmSync(file);
        mkdirSync(file);
        const end = await models();
        expect([end.code, end.stderr]).to.deep.equal([0, ""]);
        expect(files()).to.deep.equal([file]);
    });
});

describe("The program's start", () => {
    it("An outdated Node is reported in one line with a next step", async () => {
        const place = new Workplace();
        const old = `Object.defineProperty(process, "versions", { value: { node: "20.18.3" } })`;
        try {
            const env = {
                NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}`,
            };
            const end = await place.run(["chat"], { env });
            const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
            const lowest = engines.node.replace(/^>=(\d+\.\d+).*/, "$1");
            expect(end).to.deep.include({ code: 1, stdout: "" });
            expect(end.stderr).to.equal(
                `North needs Node ${lowest} or newer; this is 20.18.3.\n` +
                    "  Install a newer Node from https://nodejs.org, then start North again.\n"
            );
        } finally {
            await place.remove();
        }
    });

    it("A start that ends while it waits for something is not a success", async () => {
        const place = new Workplace();
        const stuck = `import fs from "node:fs/promises"; fs.readFile = () => new Promise(() => {})`;
        try {
            const env = {
                NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stuck)}`,
            };
            const end = await place.run(["models"], { env });
            expect(end).to.deep.include({ code: 13, stdout: "" });
        } finally {
            await place.remove();
        }
    });
});

describe("Bundled scripts", () => {
    it("The scripts hold only ASCII, because they are read byte by byte", () => {
        const names = readdirSync("dist", { recursive: true, encoding: "utf8" });
        const scripts = names.filter((name) => name.endsWith(".cjs"));
        expect(scripts.length).to.be.above(1);
        for (const name of scripts) {
            const bytes = readFileSync(path.join("dist", name));
            const index = bytes.findIndex((byte) => byte > 0x7f);
            const place = bytes.subarray(Math.max(0, index - 40), index + 20).toString();
            expect(index, `${name}: ${place}`).to.equal(-1);
        }
    });

    it("The build refuses a late import of a CommonJS package, whose names the bundle lacks", async () => {
        const { refuseLateCommonJs } = await import(path.resolve("scripts/bundling.js"));
        const inputs = (format: string) => ({
            "src/a.ts": { imports: [{ kind: "dynamic-import", path: "p.js", original: "p" }] },
            "p.js": { imports: [], format },
        });
        expect(() => refuseLateCommonJs(inputs("cjs"))).to.throw("src/a.ts imports p late");
        expect(() => refuseLateCommonJs(inputs("esm"))).not.to.throw();
    });

    it("An answer is received without Node's own HTTP client, which takes long to load", async () => {
        const place = new Workplace();
        const server = await startMessagesServer({ script: () => reply(text("Hello.")) });
        try {
            const end = await place.run(["-p", "hello"], {
                env: {
                    ANTHROPIC_API_KEY: "a-key-of-the-test-0123456789",
                    ANTHROPIC_BASE_URL: server.url,
                    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(LOAD_WATCH)}`,
                },
            });
            expect(end.stdout).to.contain("Hello.");
            expect(end.stderr).to.contain("HTTP client not loaded");
        } finally {
            await server.close();
            await place.remove();
        }
    });

    it("A module of oclif is loaded when its importer first uses it", async () => {
        const { importedLate } = await import(path.resolve("scripts/bundling.js"));
        const compiled = [
            'const named_1 = require("named");',
            'const usual_1 = __importDefault(require("usual"));',
            'var again_1 = require("again");',
            'Object.defineProperty(exports, "b", { get: function () { return again_1.b; } });',
            "exports.make = () => new usual_1.default((0, named_1.a)());",
        ];
        const required: string[] = [];
        const load = (name: string) => {
            required.push(name);
            class Usual {
                constructor(readonly of: string) {}
            }
            return { a: () => "a", b: "b", default: Usual };
        };
        const exports: { make?: () => unknown; b?: unknown } = {};
        const usual = (module: unknown) => module;
        new Function("exports", "require", "__importDefault", importedLate(compiled.join("\n")))(
            ...[exports, load, usual]
        );
        expect(required).to.deep.equal([]);
        expect(exports.make?.()).to.deep.equal({ of: "a" });
        expect(exports.make?.()).to.deep.equal({ of: "a" });
        expect(required).to.deep.equal(["usual", "named"]);
        expect(exports.b).to.equal("b");
    });

    it("A streamed response of the bundle behaves like the original, however it is read", async () => {
        const web = await import(path.resolve("scripts/web-globals.js"));
        const streamed = (): Response => {
            const headers = new web.Headers({ "x-a": "b", "content-type": "application/json" });
            return new web.Response(new Blob(['{"a":1}']).stream(), {
                ...{ status: 200, statusText: "Fine", headers },
            });
        };
        const response = await Promise.resolve(streamed());
        expect([response.ok, response.status, response.statusText]).to.deep.equal([
            ...[true, 200, "Fine"],
        ]);
        expect([response.headers.get("X-A"), response.bodyUsed]).to.deep.equal(["b", false]);
        expect(response).to.be.instanceOf(globalThis.Response).and.instanceOf(web.Response);
        expect(response).not.to.be.instanceOf(Error);
        expect("clone" in response && !("post" in response)).to.equal(true);
        const copy = response.clone();
        expect(await response.json()).to.deep.equal({ a: 1 });
        expect(response.bodyUsed).to.equal(true);
        expect(copy.headers.get("x-a")).to.equal("b");
        expect(await copy.text()).to.equal('{"a":1}');
        const read = streamed();
        const chunks: Uint8Array[] = [];
        for await (const chunk of read.body ?? []) chunks.push(chunk);
        expect(Buffer.concat(chunks).toString()).to.equal('{"a":1}');
        expect(read.bodyUsed).to.equal(true);
    });

    it("The bundle's replacements of web globals behave like the originals", async () => {
        const web = await import(path.resolve("scripts/web-globals.js"));
        const response = web.Response.json({ a: 1 }, { headers: new web.Headers({ "X-A": "b" }) });
        expect(response).to.be.instanceOf(globalThis.Response).and.instanceOf(web.Response);
        expect([await response.json(), response.headers.get("x-a")]).to.deep.equal([{ a: 1 }, "b"]);
        const AnyRequest: typeof globalThis.Request = web.Request;
        class OwnRequest extends AnyRequest {}
        const request = new OwnRequest("http://127.0.0.1/", { headers: [["b", "c"]] });
        expect(request).to.be.instanceOf(OwnRequest).and.instanceOf(globalThis.Request);
        expect([...new web.Headers(request.headers)]).to.deep.equal([["b", "c"]]);
        expect(new web.FormData()).to.be.instanceOf(globalThis.FormData);
        for (const other of [undefined, null, 1, "a", {}, { [Symbol.toStringTag]: "FormData" }]) {
            expect(other instanceof web.FormData).to.equal(false);
        }
    });
});
