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

describe("the code cache of the program", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace();
    });
    afterEach(() => place.remove());

    const folder = () => path.join(place.home, ".local", "state", "north", "code");
    const files = () => readdirSync(folder()).map((name) => path.join(folder(), name));
    const models = () => place.run(["models"]);

    it("is one file only its owner may read, and the next run leaves it as it is", async () => {
        const first = await models();
        const [file = "", ...others] = files();
        expect(others).to.deep.equal([]);
        expect(statSync(file).mode & 0o777).to.equal(0o600);
        utimesSync(file, 1, 1);

        const second = await models();
        expect(second).to.deep.equal(first);
        expect(statSync(file).mtimeMs).to.equal(1_000);
    });

    it("grows by what a later command loads", async () => {
        await place.run(["costs"]);
        const [file = ""] = files();
        const before = statSync(file).size;
        await models();
        expect(statSync(file).size).to.be.greaterThan(before);
    });

    it("is made anew where it is damaged, anywhere in it", async () => {
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

    it("makes room: only the newest of other versions stay", async () => {
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

    it("is not looked for in the folder that North was started in", async () => {
        await place.run(["models"], { env: { NORTH_STATE_DIR: "state" } });
        const inside = readdirSync(place.repository, { recursive: true });
        expect(inside.filter((name) => String(name).includes("code"))).to.deep.equal([]);
    });

    it("is not needed: North runs where it cannot be kept", async () => {
        const end = await place.run(["models"], { env: { NORTH_STATE_DIR: "/dev/null/state" } });
        expect([end.code, end.stderr]).to.deep.equal([0, ""]);
    });

    it("leaves nothing behind where it cannot be kept, as on a full disk", async () => {
        await models();
        const [file = ""] = files();
        rmSync(file);
        mkdirSync(file);
        const end = await models();
        expect([end.code, end.stderr]).to.deep.equal([0, ""]);
        expect(files()).to.deep.equal([file]);
    });
});

describe("the scripts of the program", () => {
    it("hold nothing but ASCII, as they are read byte by byte", () => {
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
});
