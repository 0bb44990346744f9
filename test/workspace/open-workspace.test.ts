import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { makeFolder, makeRepository, refusal } from "./make-folder.js";

describe("Refused reads", () => {
    let root: string;
    let elsewhere: string;

    before(() => {
        elsewhere = makeFolder({ "out.txt": "outside", "folder/file.txt": "outside" });
        root = makeRepository({
            ".gitignore": "*.log\nbuild/\n",
            "in.txt": "inside",
            "x.log": "ignored",
            "build/y.txt": "ignored",
            "folder/file.txt": "inside",
        });
        const link = (target: string, name: string) => symlinkSync(target, path.join(root, name));
        link(path.join(elsewhere, "out.txt"), "link-out");
        link(path.join(elsewhere, "folder"), "folder-out");
        link(path.join(elsewhere, "missing"), "dangling-out");
        link("missing", "dangling-in");
        link("/dev/zero", "zero");
        link("x.log", "link-to-ignored");
        link(".git/HEAD", "link-to-git");
        link("pipe", "link-to-pipe");
        execFileSync("mkfifo", [path.join(root, "pipe")]);
    });

    const refused: readonly (readonly [given: () => string, code: string])[] = [
        [() => "../out.txt", "outside-repository"],
        [() => "folder/../../out.txt", "outside-repository"],
        [() => "/etc/passwd", "outside-repository"],
        [() => path.join(elsewhere, "out.txt"), "outside-repository"],
        [() => "in.txt\0", "outside-repository"],
        [() => "link-out", "outside-repository"],
        [() => "folder-out/file.txt", "outside-repository"],
        [() => "dangling-out", "outside-repository"],
        [() => "zero", "outside-repository"],
        [() => "pipe", "not-a-file"],
        [() => "link-to-pipe", "not-a-file"],
        [() => "folder", "not-a-file"],
        [() => "", "not-a-file"],
        [() => "missing.txt", "not-found"],
        [() => "in.txt/below", "not-found"],
        [() => "dangling-in", "not-found"],
        [() => "x.log", "ignored"],
        [() => "link-to-ignored", "ignored"],
        [() => "link-to-git", "ignored"],
        [() => ".git/config", "ignored"],
    ];

    it("Paths outside, anything but a file, and ignored files are refused", async () => {
        const workspace = openWorkspace({ root });
        for (const [given, code] of refused) {
            expect(await refusal(() => workspace.read(given())), given()).to.equal(code);
            const search = () => workspace.search("inside", { file: given(), limit: 5 });
            expect(await refusal(search), given()).to.equal(code);
        }
    });

    it("A pipe blocks neither a search nor a listing", async () => {
        for (const useRipgrep of [true, false]) {
            const searched = openWorkspace({ root, useRipgrep });
            const { matches } = await searched.search("inside", { limit: 5 });
            expect(matches.map((match) => match.path)).to.deep.equal(["folder/file.txt", "in.txt"]);
        }
        const workspace = openWorkspace({ root });
        expect((await workspace.list("")).map(({ name }) => name)).to.deep.equal([
            "folder",
            ".gitignore",
            "in.txt",
            "link-to-git",
            "link-to-ignored",
        ]);
    });

    it("A file that is too large is refused unless a larger limit is requested", async () => {
        writeFileSync(path.join(root, "large"), Buffer.alloc(10 * 1024 * 1024 + 1, "a"));
        const workspace = openWorkspace({ root });
        expect(await refusal(() => workspace.read("large"))).to.equal("too-large");
        expect(await refusal(() => workspace.read("in.txt", { maxBytes: 5 }))).to.equal(
            "too-large"
        );
        const { bytes } = await workspace.read("large", { maxBytes: 11 * 1024 * 1024 });
        expect(bytes.length).to.equal(10 * 1024 * 1024 + 1);
    });
});

describe("Reading a file", () => {
    it("A file is read with its hash and permissions", async () => {
        const content = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff]);
        const root = makeFolder({ "ü é/日本.bin": content });
        chmodSync(path.join(root, "ü é/日本.bin"), 0o754);
        const file = await openWorkspace({ root }).read(path.join(root, "ü é/日本.bin"));
        expect(Buffer.from(file.bytes)).to.deep.equal(content);
        expect(file.hash).to.equal(createHash("sha256").update(content).digest("hex"));
        expect(file).to.include({ path: "ü é/日本.bin", mode: 0o754 });
    });

    it("An empty file is read as no bytes", async () => {
        const file = await openWorkspace({ root: makeFolder({ a: "" }) }).read("a");
        expect(file.bytes.length).to.equal(0);
    });

    it("A missing file's error names up to three similar files", async () => {
        const root = makeFolder({
            "src/chat/line-input.ts": "",
            "test/chat/line-input.test.ts": "",
            "src/core/line-inputs.ts": "",
            "src/x/line_input.ts": "",
            "docs/unrelated.md": "",
        });
        const error = await openWorkspace({ root })
            .read("src/line-input.ts")
            .catch((reason: unknown) => reason);
        expect(error).to.have.property("nextSteps").that.has.length(1);
        const [hint] = (error as { nextSteps: readonly string[] }).nextSteps;
        expect(hint).to.match(/^Did you mean src\/chat\/line-input\.ts, /);
        expect(hint?.split(", ")).to.have.length(3);
        expect(hint).to.not.include("unrelated");
    });
});

describe("Status", () => {
    it("Files, folders and missing paths are distinguished", async () => {
        const root = makeFolder({ "a/b.txt": "four" });
        symlinkSync("a", path.join(root, "link"));
        const workspace = openWorkspace({ root });
        expect(await workspace.status("a/b.txt")).to.include({
            path: "a/b.txt",
            type: "file",
            size: 4,
        });
        expect(await workspace.status("a")).to.include({ type: "dir", size: 0 });
        expect(await workspace.status("link/b.txt")).to.include({ path: "link/b.txt" });
        expect(await workspace.status("no")).to.equal(null);
        expect(await workspace.status("a/b.txt/c")).to.equal(null);
        expect(await refusal(() => workspace.status(".."))).to.equal("outside-repository");
    });
});

describe("Ignored files", () => {
    const tree = {
        ".gitignore": "*.log\ndist\n",
        "x.log": "inside",
        "node_modules/x/index.d.ts": "inside",
        "node_modules/x/.env": "inside",
        "dist/a.js": "inside",
    };

    it("What is named in dependency and build folders is read and searched, and marked", async () => {
        const asked: string[] = [];
        const permitSecret = async (file: string) => asked.push(file) === 0;
        const workspace = openWorkspace({ root: makeRepository(tree), permitSecret });
        for (const file of ["node_modules/x/index.d.ts", "dist/a.js"]) {
            expect(await workspace.read(file)).to.include({ path: file, ignored: true });
            const found = await workspace.search("inside", { file, limit: 5 });
            expect(found).to.include({ total: 1, ignored: true });
        }
        expect(asked).to.deep.equal([]);
        expect(await refusal(() => workspace.read("node_modules/x/.env"))).to.equal("secret-file");
        expect((await workspace.search("inside", { limit: 5 })).matches).to.deep.equal([]);
        expect(await workspace.files()).to.deep.equal([".gitignore"]);
    });

    for (const useRipgrep of [true, false]) {
        const how = useRipgrep ? "with" : "without";
        it(`A dependency folder that is named is searched whole, ${how} ripgrep, without its secrets and git's files`, async () => {
            const root = makeRepository({
                ...tree,
                "node_modules/x/node_modules/y/deep.js": "inside",
                "node_modules/x/.git/config": "inside",
                "node_modules/x/own/index.json": "inside",
                "node_modules/.gitignore": "*",
                "node_modules/x/binary": "inside\0",
            });
            const ownFolders = [path.join(root, "node_modules/x/own")];
            const workspace = openWorkspace({ root, useRipgrep, ownFolders });
            const found = async (folder: string) => {
                const result = await workspace.search("inside", { path: folder, limit: 9 });
                expect(result.ignored).to.equal(true);
                return result.matches.map((match) => match.path);
            };
            const deep = "node_modules/x/node_modules/y/deep.js";
            const all = ["node_modules/x/index.d.ts", deep];
            expect(await found("node_modules")).to.deep.equal(all);
            expect(await found("node_modules/x")).to.deep.equal(all);
            expect(await found("node_modules/x/node_modules")).to.deep.equal([deep]);
            expect(await found("dist")).to.deep.equal(["dist/a.js"]);
        });
    }

    it("Any other ignored file is read only if the user allows it", async () => {
        const asked: [string, string][] = [];
        const permitting = (isAllowed: boolean) =>
            openWorkspace({
                root: makeRepository(tree),
                permitSecret: async (file, reason) => asked.push([file, reason]) > 0 && isAllowed,
            });
        expect(await refusal(() => permitting(false).read("x.log"))).to.equal("ignored");
        expect(await permitting(true).read("x.log")).to.include({ ignored: true });
        expect(asked).to.deep.equal([
            ["x.log", "ignored"],
            ["x.log", "ignored"],
        ]);
        expect(await refusal(() => permitting(true).read(".git/config"))).to.equal("ignored");
    });
});

describe("Listing", () => {
    it("Folders come before files, sorted by name and without ignored ones", async () => {
        const root = makeRepository({
            ".gitignore": "*.log\nout\n",
            "b.txt": "12",
            "a.txt": "1",
            "x.log": "",
            "z/file": "",
            "c/file": "",
            "out/file": "",
            "node_modules/x/y": "",
        });
        const workspace = openWorkspace({ root });
        expect(await workspace.list("")).to.deep.equal([
            { name: "c", type: "dir", size: 0 },
            { name: "z", type: "dir", size: 0 },
            { name: ".gitignore", type: "file", size: 10 },
            { name: "a.txt", type: "file", size: 1 },
            { name: "b.txt", type: "file", size: 2 },
        ]);
        expect(await workspace.list(path.join(root, "c"))).to.have.length(1);
        expect(await refusal(() => workspace.list("out"))).to.equal("ignored");
        expect(await workspace.list("node_modules")).to.deep.equal([
            { name: "x", type: "dir", size: 0, ignored: true },
        ]);
        expect(await refusal(() => workspace.list(".git"))).to.equal("ignored");
        expect(await refusal(() => workspace.list("no"))).to.equal("not-found");
        expect(await refusal(() => workspace.list("a.txt"))).to.equal("not-a-folder");
        expect(await refusal(() => workspace.list(".."))).to.equal("outside-repository");
    });

    it("A link to a folder inside is listed as a folder, and one that leads outside is not", async () => {
        const root = makeFolder({ "a/file": "" });
        symlinkSync("a", path.join(root, "link"));
        symlinkSync("/etc", path.join(root, "etc"));
        const workspace = openWorkspace({ root });
        expect((await workspace.list("")).map(({ name }) => name)).to.deep.equal(["a", "link"]);
        expect((await workspace.list("link")).map(({ name }) => name)).to.deep.equal(["file"]);
        expect(await refusal(() => workspace.list("etc"))).to.equal("outside-repository");
    });
});

describe("Finding", () => {
    const tree = Object.fromEntries(
        [
            "README.md",
            "a.ts",
            "src/A.test.ts",
            "src/b.ts",
            "src/deep/er/c.tsx",
            "src/deep/.hidden/d.ts",
            "app/(group)/[id]/page.tsx",
            "ü/ñ.md",
        ].map((name) => [name, ""])
    );
    let root: string;

    before(() => {
        root = makeFolder(tree);
        mkdirSync(path.join(root, "empty"));
    });

    for (const [pattern, expected] of [
        ["*.md", ["README.md", "ü/ñ.md"]],
        ["readme*", ["README.md"]],
        ["a.*", ["a.ts", "src/A.test.ts"]],
        ["src/*.ts", ["src/A.test.ts", "src/b.ts"]],
        ["./src/*.ts", ["src/A.test.ts", "src/b.ts"]],
        ["/*.ts", ["a.ts"]],
        [
            "**/*.{tsx,md}",
            ["README.md", "app/(group)/[id]/page.tsx", "src/deep/er/c.tsx", "ü/ñ.md"],
        ],
        ["src/deep/", ["src/deep/.hidden/d.ts", "src/deep/er/c.tsx"]],
        ["app/(group)/**", ["app/(group)/[id]/page.tsx"]],
        ["?.ts", ["a.ts", "src/b.ts", "src/deep/.hidden/d.ts"]],
        ["[ab].ts", ["a.ts", "src/b.ts"]],
        ["nothing", []],
        ["empty", []],
    ] as const) {
        it(`The pattern ${pattern} finds ${expected.length} files`, async () => {
            const found = await openWorkspace({ root }).find(pattern, { limit: 50 });
            expect(found.files).to.deep.equal(expected);
            expect(found).to.include({ truncated: false, total: expected.length });
        });
    }

    it("The result is limited and includes the total", async () => {
        const found = await openWorkspace({ root }).find("**", { limit: 2 });
        expect(found).to.deep.equal({ files: ["README.md", "a.ts"], truncated: true, total: 8 });
    });

    it("A glob that is empty, invalid or leads outside is refused", async () => {
        const workspace = openWorkspace({ root });
        for (const pattern of ["", "src/[a", "../*.ts", "a/{b"]) {
            const code = await refusal(() => workspace.find(pattern, { limit: 5 }));
            expect(code, pattern).to.equal("invalid-pattern");
        }
    });
});
