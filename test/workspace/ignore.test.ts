import { expect } from "chai";
import fc from "fast-check";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { IgnoreFiles } from "../../src/workspace/ignore/read-ignore-file.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { patient } from "../helpers/patience.js";
import { git, makeFolder, makeRepository, writeTree, PROPERTY_RUNS } from "./make-folder.js";

const NAMES = ["a", "b", "ab", "a.js", "b.log", "x y", "ä.log", ".hid", "#c", "d!", "[e]"];

const name = fc.constantFrom(...NAMES);
const filePath = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

const piece = fc.oneof(
    { weight: 4, arbitrary: name },
    {
        weight: 3,
        arbitrary: fc.constantFrom(
            "*",
            "**",
            "?",
            "*.log",
            "a*",
            "*b",
            "[ab]",
            "[!a]",
            "*.*",
            "a**b"
        ),
    },
    {
        weight: 1,
        arbitrary: fc.constantFrom("\\#c", "d\\!", "\\[e\\]", "[[:alpha:]]", "\\a", "{a,b}"),
    }
);

const pattern = fc
    .record({
        negation: fc.constantFrom("", "", "!"),
        start: fc.constantFrom("", "", "/", "**/"),
        pieces: fc.array(piece, { minLength: 1, maxLength: 3 }),
        end: fc.constantFrom("", "", "/", "/**", "/*", " ", "\\ "),
    })
    .map(({ negation, start, pieces, end }) => negation + start + pieces.join("/") + end);

const ignoreFile = fc
    .array(fc.oneof({ weight: 8, arbitrary: pattern }, fc.constantFrom("", "# c", "/")), {
        maxLength: 5,
    })
    .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.join(end) + end));

const tree = fc.record({
    files: fc.array(filePath, { minLength: 1, maxLength: 14 }),
    rootIgnore: ignoreFile,
    nested: fc.array(fc.tuple(filePath, ignoreFile), { maxLength: 3 }),
    exclude: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, ignoreFile),
    global: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, ignoreFile),
    tracked: fc.array(fc.nat(13), { maxLength: 3 }),
});

type RandomTree = typeof tree extends fc.Arbitrary<infer Value> ? Value : never;

/** A path that runs into a file in place of a folder is left out. */
function tryWrite(root: string, file: string, content: string): void {
    try {
        mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
        writeFileSync(path.join(root, file), content);
    } catch {
        return;
    }
}

function lay(root: string, random: RandomTree): void {
    for (const entry of readdirSync(root)) {
        if (entry !== ".git") rmSync(path.join(root, entry), { recursive: true });
    }

    rmSync(path.join(root, ".git/index"), { force: true });
    for (const file of random.files) tryWrite(root, file, "x");

    tryWrite(root, ".gitignore", random.rootIgnore);
    for (const [folder, text] of random.nested) tryWrite(root, `${folder}/.gitignore`, text);

    writeFileSync(path.join(root, ".git/info/exclude"), random.exclude);
    writeFileSync(path.join(root, ".git/global-ignore"), random.global);
    const existing = everyFile(root);
    const tracked = random.tracked.flatMap((index) => existing[index] ?? []);
    if (tracked.length > 0) {
        git(root, "add", "--force", "--", ...tracked.map((file) => `:(literal)${file}`));
    }
}

function everyFile(root: string): readonly string[] {
    return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
        .filter((file) => !file.startsWith(".git/"))
        .sort();
}

function listedByGit(root: string): readonly string[] {
    const output = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
    return [...new Set(output.split("\0").slice(0, -1))].sort();
}

describe("Ignore list", () => {
    it("Any tree with any patterns is listed as git lists it, tracked files included", async function () {
        this.timeout(patient(60_000 + PROPERTY_RUNS * 500));
        const root = makeRepository();
        git(root, "config", "core.excludesFile", path.join(root, ".git/global-ignore"));
        await fc.assert(
            fc.asyncProperty(tree, async (random) => {
                lay(root, random);
                const workspace = openWorkspace({ root });
                const expected = listedByGit(root);
                expect(await workspace.files()).to.deep.equal(expected);
                for (const file of everyFile(root)) {
                    const isIgnored = await workspace.isIgnored(file, "file");
                    expect(isIgnored, file).to.equal(!expected.includes(file));
                }
            }),
            { numRuns: PROPERTY_RUNS }
        );
    });

    it("Where git ignores case, patterns of any case are read as git reads them", async () => {
        const root = makeRepository({
            ".gitignore": "OUT/\n*.Log\nSrc/Gen?.ts\n!KEEP.log\nREADME\n",
            "out/a": "",
            "b.LOG": "",
            "keep.LOG": "",
            "src/gen1.ts": "",
            "src/GENE.TS": "",
            "src/general.ts": "",
            "a/readme": "",
            "readme.md": "",
        });
        git(root, "config", "core.ignoreCase", "true");
        const files = await openWorkspace({ root }).files();
        expect(files).to.deep.equal(listedByGit(root));
        expect(files).to.deep.equal([".gitignore", "keep.LOG", "readme.md", "src/general.ts"]);
    });

    it("Equal ignore files of many folders are one set of patterns", () => {
        const root = makeFolder({ "a/.gitignore": "*.log\n", "b/.gitignore": "*.log\n" });
        const files = new IgnoreFiles(false);
        const layer = (folder: string) => files.layer(path.join(root, folder, ".gitignore"));
        expect(layer("a")).to.equal(layer("b"));
        expect(layer("b")?.verdict("x.log", "file")).to.equal("ignored");
        expect(layer("b")?.verdict("x.ts", "file")).to.equal(undefined);
    });

    it("Files are listed in the order of their whole paths", async () => {
        const files = ["a-b", "a.c", "a/x", "a/y/z", "a0", "b/deep/file", "é", "Z"];
        const root = makeRepository(Object.fromEntries(files.map((file) => [file, ""])));
        expect(await openWorkspace({ root }).files()).to.deep.equal([...files].sort());
    });

    it("Changed ignore files, new files and newly tracked files are noticed", async () => {
        const root = makeRepository({ "a.log": "", "b/c.log": "", "b/d.txt": "" });
        const workspace = openWorkspace({ root });
        expect(await workspace.files()).to.deep.equal(["a.log", "b/c.log", "b/d.txt"]);
        writeTree(root, { ".gitignore": "*.log\n", "b/e.txt": "" });
        expect(await workspace.files()).to.deep.equal([".gitignore", "b/d.txt", "b/e.txt"]);
        git(root, "add", "--force", "b/c.log");
        expect(await workspace.files()).to.include("b/c.log");
        expect(await workspace.isIgnored("b/c.log", "file")).to.equal(false);
        writeTree(root, { "b/.gitignore": "*\n" });
        expect(await workspace.files()).to.deep.equal([".gitignore", "b/c.log"]);
        rmSync(path.join(root, ".gitignore"));
        expect(await workspace.files()).to.deep.equal(["a.log", "b/c.log"]);
    });

    it("A worktree's index and exclude file are found elsewhere", async () => {
        const main = makeRepository({ ".gitignore": "*.log\n", "a.txt": "", "kept.log": "" });
        git(main, "add", "--force", ".");
        git(main, "commit", "--quiet", "--message", "one");
        const root = path.join(makeFolder(), "tree");
        git(main, "worktree", "add", "--quiet", root);
        writeTree(main, { ".git/info/exclude": "excluded\n" });
        writeTree(root, { "new.log": "", excluded: "" });
        const files = await openWorkspace({ root }).files();
        expect(files).to.deep.equal([".gitignore", "a.txt", "kept.log"]);
    });

    it(".gitignore files apply outside a repository too", async () => {
        const root = makeFolder({
            ".gitignore": "*.log\n",
            "a.log": "",
            "b/.gitignore": "!keep.log\nc\n",
            "b/keep.log": "",
            "b/c/d": "",
            "b/e": "",
        });
        const workspace = openWorkspace({ root });
        const expected = [".gitignore", "b/.gitignore", "b/e", "b/keep.log"];
        expect(await workspace.files()).to.deep.equal(expected);
    });

    it(".git and dependency folders are always left out, tracked or not", async () => {
        const root = makeRepository({
            "node_modules/x/index.js": "",
            "a/node_modules/y.js": "",
            "a/__pycache__/z.pyc": "",
            "a/b.js": "",
        });
        git(root, "add", "--force", ".");
        const workspace = openWorkspace({ root });
        expect(await workspace.files()).to.deep.equal(["a/b.js"]);
        expect(await workspace.isIgnored(".git/config", "file")).to.equal(true);
        expect(await workspace.isIgnored("a/node_modules", "dir")).to.equal(true);
    });

    it("A build folder is ignored only beside its tool's file and when git does not track it", async () => {
        const root = makeRepository({
            "Cargo.toml": "",
            "target/debug": "",
            "docs/target/shooting.md": "",
            "web/package.json": "",
            "web/dist/committed.js": "",
            "web/dist/new.js": "",
        });
        git(root, "add", "web/dist/committed.js");
        const files = await openWorkspace({ root }).files();
        expect(files).to.include("docs/target/shooting.md");
        expect(files).to.include("web/dist/committed.js");
        expect(files).to.not.include("target/debug");
    });

    it(".northignore adds to git's ignore list and re-includes nothing", async () => {
        const root = makeRepository({
            ".gitignore": "*.log\n!kept.log\n",
            ".northignore": "docs/*\n!docs/keep.md\n!a.log\nkept.log\n",
            "a.log": "",
            "kept.log": "",
            "docs/long.md": "",
            "docs/keep.md": "",
        });
        const files = await openWorkspace({ root }).files();
        expect(files).to.deep.equal([".gitignore", ".northignore", "docs/keep.md"]);
    });

    it("Links to folders are not followed, and links to files are listed", async () => {
        const root = makeFolder({ "a/file": "", "b/c": "" });
        symlinkSync("..", path.join(root, "a/up"));
        symlinkSync("a/file", path.join(root, "link"));
        symlinkSync("/etc/hostname", path.join(root, "out"));
        symlinkSync("nowhere", path.join(root, "dangling"));
        const workspace = openWorkspace({ root });
        expect(await workspace.files()).to.deep.equal(["a/file", "b/c", "link"]);
    });

    it("An empty folder and an empty repository have no files", async () => {
        for (const root of [makeFolder(), makeRepository()]) {
            const workspace = openWorkspace({ root });
            expect(await workspace.files()).to.deep.equal([]);
            expect(await workspace.list("")).to.deep.equal([]);
            expect((await workspace.search("x", { limit: 5 })).total).to.equal(0);
            expect((await workspace.find("*", { limit: 5 })).total).to.equal(0);
            expect(await workspace.activity()).to.equal(null);
        }
    });

    it("A cancel ends a listing", async () => {
        const workspace = openWorkspace({ root: makeFolder({ a: "" }) });
        const signal = AbortSignal.abort(new Error("enough"));
        const error = await workspace.files({ signal }).catch((reason: unknown) => reason);
        expect(error).to.have.property("message", "enough");
    });
});
