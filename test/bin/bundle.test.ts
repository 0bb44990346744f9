import { expect } from "chai";
import {
    mkdirSync,
    readFileSync,
    readdirSync,
    rmSync,
    statSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { Workplace } from "../helpers/north-program.js";

describe("Code cache", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace();
    });
    afterEach(() => place.remove());

    const folder = () => path.join(place.home, ".local", "state", "north", "code");
    const files = () => readdirSync(folder()).map((name) => path.join(folder(), name));
    const models = () => place.run(["models"]);

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
});
