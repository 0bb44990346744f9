import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { SandboxContainment } from "../../../src/shell/containment/macos/sandbox.js";
import { makeRepository, writeTree } from "../../workspace/make-folder.js";

/** What reaches other programs, which do not run in the sandbox. */
const SERVICES = {
    "Apple events": /^\(allow appleevent/,
    "launch services": /^\(allow lsopen/,
    "the keychain's service": /^\(allow .*com\.apple\.SecurityServer/,
    "any service of the system": /^\(allow mach-lookup\)/,
    "the network": /^\(allow (?:network|system-socket)/,
    "other processes": /^\(allow (?:signal|process-info\*?|mach-priv-task-port)\)|target others/,
};

describe("The profile for macOS's sandbox-exec", () => {
    let top: string;
    let root: string;
    let home: string;
    let lines: readonly string[];

    before(async () => {
        top = realpathSync(mkdtempSync(path.join(tmpdir(), "north-profile-")));
        home = path.join(top, "home");
        root = realpathSync(makeRepository({ ".env": "x\n", "a.txt": "a\n" }));
        writeTree(home, {
            ".cargo/credentials.toml": "[registry]\ntoken = 'x'\n",
            ".cargo/bin/tool": "#!/bin/sh\n",
            ".ssh/id_rsa": "x\n",
        });
        mkdirSync(path.join(top, "north"));
        const containment = new SandboxContainment({
            root,
            home,
            environment: { HOME: home, PATH: process.env.PATH },
            layerFolders: [],
            hiddenFolders: [path.join(top, "north")],
            settings: { show: [], hide: [] },
            isIgnored: () => Promise.resolve(false),
        });
        lines = containment.describe();
        await containment.dispose();
    });
    after(() => {
        for (const folder of [top, root]) rmSync(folder, { recursive: true, force: true });
    });

    /** What the last rule that concerns reading this file says, as macOS decides. */
    function reads(file: string): string {
        const concerning = lines.flatMap((line) => {
            const [, what, on] = /^\((allow|deny) .*?file-read(?:\*|-data)(.*)\)$/.exec(line) ?? [];
            const [, place] = /\((?:subpath|literal) "(.*?)"\)/.exec(on ?? "") ?? [];
            const isIn = place !== undefined && `${file}/`.startsWith(`${place}/`);
            return what !== undefined && isIn ? [what] : [];
        });
        return concerning.at(-1) ?? "deny";
    }

    it("What the profile does not name is denied", () => {
        expect(lines.slice(0, 2)).to.deep.equal(["(version 1)", "(deny default)"]);
        expect(lines).not.to.include("(allow default)");
    });

    for (const [name, allowed] of Object.entries(SERVICES)) {
        it(`A contained command does not reach ${name}`, () => {
            expect(lines.filter((line) => allowed.test(line))).to.deep.equal([]);
            expect(lines[1]).to.equal("(deny default)");
        });
    }

    it("The project is read, but not its secrets", () => {
        expect(reads(path.join(root, "a.txt"))).to.equal("allow");
        expect(reads(path.join(root, ".env"))).to.equal("deny");
    });

    it("A toolchain in HOME is read, but not its credentials", () => {
        expect(reads(path.join(home, ".cargo/bin/tool"))).to.equal("allow");
        expect(reads(path.join(home, ".cargo/credentials.toml"))).to.equal("deny");
    });

    it("Nothing else of HOME, and nothing of North's own folders, is read", () => {
        expect(reads(path.join(home, ".ssh/id_rsa"))).to.equal("deny");
        expect(reads(path.join(top, "north/conversations/1.jsonl"))).to.equal("deny");
    });

    it("Files are written in the temporary folder and devices only", () => {
        const written = lines.filter((line) => /^\(allow .*file-write/.test(line));
        const places = written.map((line) => /\((?:subpath|literal) "(.*?)"\)/.exec(line)?.[1]);
        expect(places).to.have.length(2);
        expect(places[0]).to.match(/north-contained-/);
        expect(places[1]).to.equal("/dev");
    });

    it("A temporary folder behind a link, as on every Mac, is named by its real path", async () => {
        const { TMPDIR } = process.env;
        const link = path.join(top, "link");
        mkdirSync(path.join(top, "real"));
        symlinkSync(path.join(top, "real"), link);
        process.env.TMPDIR = link;
        try {
            const options = { root, home, environment: {}, layerFolders: [], hiddenFolders: [] };
            const containment = new SandboxContainment({
                ...options,
                settings: { show: [], hide: [] },
                isIgnored: () => Promise.resolve(false),
            });
            const profile = containment.describe().join("\n");
            await containment.dispose();
            expect(profile).to.contain(`(allow file-write* (subpath "${top}/real/`);
            expect(profile).not.to.contain(link);
        } finally {
            if (TMPDIR === undefined) delete process.env.TMPDIR;
            else process.env.TMPDIR = TMPDIR;
        }
    });
});
