import { symlink } from "node:fs/promises";
import { expect } from "chai";
import { detectLanguages } from "../../../src/builtin/tools/detect-languages.js";
import { callsOf } from "../../helpers/file-system-calls.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

async function languages(files: Record<string, string>) {
    const context = await makeToolContext({ files });
    return dataOf(await detectLanguages.execute({}, context)).languages;
}

async function namesOf(files: Record<string, string>): Promise<string[]> {
    return (await languages(files)).map(({ language }) => language);
}

describe("detect_languages", () => {
    it("Each language has its share, the largest first", async () => {
        expect(
            await languages({
                "src/a.ts": "x".repeat(500),
                "src/b.tsx": "x".repeat(100),
                "tools/c.py": "x".repeat(300),
                "tools/d.sh": "x".repeat(100),
            })
        ).to.deep.equal([
            { language: "TypeScript", bytes: 600, percent: 60 },
            { language: "Python", bytes: 300, percent: 30 },
            { language: "Shell", bytes: 100, percent: 10 },
        ]);
    });

    it("Data, prose, lock files and generated or vendored code are not counted", async () => {
        expect(
            await namesOf({
                "a.rs": "fn main() {}",
                "package-lock.json": "{}",
                "Cargo.lock": "x",
                "README.md": "# Hello",
                "data.json": "{}",
                "config.yml": "a: 1",
                "app.min.js": "x",
                "api.pb.go": "x",
                "api_pb2.py": "x",
                "vendor/lib/a.c": "x",
                "node_modules/a/index.js": "x",
                "photo.png": "x",
                "unknown.zzz": "x",
            })
        ).to.deep.equal(["Rust"]);
    });

    it("Languages are recognized by whole file names and compound extensions", async () => {
        expect(
            await namesOf({ Makefile: "xxx", Dockerfile: "xx", "view.blade.php": "x" })
        ).to.deep.equal(["Makefile", "Dockerfile", "Blade"]);
    });

    it("A shared extension is decided by the other files", async () => {
        expect(await namesOf({ "a.h": "x", "a.cpp": "x" })).to.deep.equal(["C++"]);
        expect(await namesOf({ "a.h": "x", "a.c": "x" })).to.deep.equal(["C"]);
        expect(await namesOf({ "a.m": "x", "a.mm": "xx", "a.objc": "" })).to.include(
            "Objective-C++"
        );
        expect(await namesOf({ "main.rs": "x", "a.cs": "x", "b.ts": "x" })).to.have.members([
            "Rust",
            "C#",
            "TypeScript",
        ]);
    });

    it("The shares add up to 100 per cent", async () => {
        const shares = await languages({
            "a.ts": "x".repeat(333),
            "b.py": "x".repeat(333),
            "c.go": "x".repeat(334),
        });

        const sum = shares.reduce((all, { percent }) => all + percent, 0);
        expect(sum).to.be.closeTo(100, 0.15);
    });

    it("A link to a source file does not count beside the file", async () => {
        const context = await makeToolContext({ files: { "a.ts": "x".repeat(50) } });
        await symlink("a.ts", `${context.root}/b.ts`);
        const { languages } = dataOf(await detectLanguages.execute({}, context));
        expect(languages).to.deep.equal([{ language: "TypeScript", bytes: 50, percent: 100 }]);
    });

    it("The sizes of many files are read without resolving each path", async () => {
        const names = Array.from({ length: 200 }, (_, index) => [`src/${index}.ts`, "x"]);
        const context = await makeToolContext({ files: Object.fromEntries(names) });
        const resolved = await callsOf("realpath", () => detectLanguages.execute({}, context));
        expect(resolved).to.be.lessThan(20);
    });

    it("A repository without source has no languages", async () => {
        expect(await languages({ "README.md": "hello", "empty.ts": "" })).to.deep.equal([]);
    });
});
