import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { type GivenAttachment, mentionsIn } from "../../../src/core/message/attachments.js";
import { attachFiles } from "../../../src/host/context/attach-files.js";
import { requireNamedFiles } from "../../../src/host/context/named-file.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { type FileTree, filesOnDisk } from "../../../src/workspace/tree/file-tree.js";
import { viewTree } from "../../../src/workspace/tree/view-tree.js";
import { sha256 } from "../../../src/base/sha256.js";
import { pngOf } from "../../helpers/images.js";
import { expectError } from "../../storage/expect-error.js";
import { makeFolder, type Tree } from "../../workspace/make-folder.js";

const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");

async function attach(
    tree: Tree,
    message: string,
    options: {
        images?: boolean;
        files?: readonly string[];
        given?: readonly GivenAttachment[];
        root?: string;
        permit?: (sentence: string) => Promise<boolean>;
        tree?: FileTree;
    } = {}
) {
    const root = options.root ?? makeFolder(tree);
    const attached = await attachFiles(
        {
            mentions: mentionsIn(message),
            files: options.files ?? [],
            given: options.given ?? [],
            images: options.images ?? true,
            permit: options.permit ?? (async () => true),
            signal: new AbortController().signal,
        },
        { workspace: openWorkspace({ root }), files: options.tree ?? filesOnDisk }
    );
    const { paths, notices } = attached;
    const parts = attached.parts.map(({ content }) => content);
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
    return { root, parts, paths, notices, text };
}

describe("Attached files", () => {
    it("A mentioned file that does not exist is reported, a package or a name is not", async () => {
        const { notices } = await attach({}, "see @nothere.txt, @types/node and @someone");
        expect(notices).to.deep.equal(["nothere.txt: no such file; sent as text"]);
    });

    it("An attachment holds the first 30 lines and an outline of 15 symbols", async () => {
        const lines = Array.from({ length: 40 }, (_, index) => `export const value${index} = 1;`);
        const { text, paths, notices } = await attach(
            { "src/a.ts": `${lines.join("\n")}\n` },
            "See @src/a.ts."
        );
        expect(text.startsWith("# Attached Files\n\n## src/a.ts\n\n```typescript\n")).to.equal(
            true
        );
        expect(text).to.contain("value29 = 1;\n... [10 more lines]\n```");
        expect(text).to.contain("**Outline (a.ts):**\n- const value0 (line 1)\n");
        expect(text).to.contain("- const value14 (line 15)\n- ... [25 more symbols]");
        expect(paths).to.deep.equal(["src/a.ts"]);
        expect(notices).to.deep.equal(["src/a.ts: attached (the first 30 of 40 lines)"]);
    });

    it("An attachment takes at most 2 KB, even when one line has more", async () => {
        const { text } = await attach({ "a.txt": "é".repeat(5_000) }, "@a.txt");
        expect(text).to.contain("[line cut]");
        expect(Buffer.byteLength(text)).to.be.lessThan(2_300);
        const wide = await attach({ "b.txt": `${"x".repeat(900)}\n`.repeat(4) }, "@b.txt");
        expect(wide.text).to.contain("... [2 more lines]");
    });

    it("An attached file cannot close its own block", async () => {
        const { text } = await attach({ "a.md": "```\ncode\n```\n" }, "@a.md");
        expect(text).to.contain("````markdown\n```\ncode\n```\n````");
    });

    it("Only existing files are attached, and other mentions stay text", async () => {
        const { parts } = await attach({ "a.ts": "" }, "@decorator @types/node, me@a.ts");
        expect(parts).to.deep.equal([]);
    });

    it("A file is attached by a quoted or outside path, and only once", async () => {
        const outside = makeFolder({ "out.txt": "outside" });
        const file = path.join(outside, "out.txt");
        const { text, paths } = await attach(
            { "my file.txt": "inside" },
            `@"my file.txt" @${file} @./my file.txt`,
            { files: [file] }
        );
        expect(text).to.contain("## my file.txt").and.to.contain(`## ${file}`);
        expect(text.match(/^## /gm)).to.have.length(2);
        expect(paths).to.deep.equal(["my file.txt"]);
    });

    it("Secret and ignored files are attached when the user names them", async () => {
        const { text } = await attach({ ".env": "KEY=1", ".gitignore": ".env" }, "@.env");
        expect(text).to.contain("KEY=1");
    });

    it("A mention of a secret, or of a file outside, is asked about, also through a link", async () => {
        const outside = makeFolder({ "notes.md": "notes" });
        const root = makeFolder({ ".env": "KEY=1", "a.txt": "a" });
        symlinkSync(path.join(outside, "notes.md"), path.join(root, "link.md"));
        symlinkSync(".env", path.join(root, "b.txt"));
        const asked: string[] = [];
        const { text } = await attach({}, `@a.txt @.env @b.txt @link.md @${outside}/notes.md`, {
            root,
            permit: async (sentence) => {
                asked.push(sentence);
                return false;
            },
        });
        expect(asked).to.deep.equal([
            "Attach .env, which looks like a secret",
            "Attach link.md, which is outside the repository",
        ]);
        expect(text).to.contain("## a.txt").and.not.to.contain("KEY").and.not.to.contain("notes\n");
    });

    it("A mention of a link or a file that only a draft has is judged by what the draft has", async () => {
        const root = makeFolder({
            ".env": "KEY=1",
            ".npmrc": "color=true\n",
            "src/a.txt": "project",
        });
        const drafted = {
            "b.txt": { type: "link", content: ".env" },
            docs: { type: "link", content: "src" },
            "out.txt": { type: "link", content: "/etc/passwd" },
            "src/a.txt": { content: "draft" },
            ".npmrc": { content: "//registry.example/:_authToken=npm_0123456789abcdefghij\n" },
        } as const;
        const contents = new Map(
            Object.values(drafted).map(({ content }) => [sha256(content), Buffer.from(content)])
        );
        const view = new Map(
            Object.entries(drafted).map(([name, { content, ...type }]) => [
                name,
                { path: name, ...type, beforeHash: null, afterHash: sha256(content) },
            ])
        );
        const get = async (hash: string) => contents.get(hash) ?? Buffer.of();
        const tree = await viewTree(root, { files: view, contents: { get } });
        const asked: string[] = [];
        const { text } = await attach({}, "@b.txt @docs/a.txt @out.txt @.npmrc", {
            ...{ root, tree },
            permit: async (sentence) => {
                asked.push(sentence);
                return false;
            },
        });
        expect(asked).to.deep.equal([
            "Attach b.txt, which looks like a secret",
            "Attach out.txt, which is outside the repository",
            "Attach .npmrc, which looks like a secret",
        ]);
        expect(text)
            .to.contain("draft")
            .and.not.to.match(/KEY=1|project|npm_/);
    });

    it("Where nobody can be asked, a mentioned secret is not attached, and --file still does it", async () => {
        const root = makeFolder({ ".env": "KEY=1" });
        const request = { images: true, signal: new AbortController().signal };
        const place = { workspace: openWorkspace({ root }), files: filesOnDisk };
        const mentions = mentionsIn("@.env");
        const mentioned = await attachFiles({ ...request, mentions, files: [] }, place);
        expect(mentioned.notices).to.deep.equal([
            ".env: not attached: it looks like a secret; --file attaches it",
        ]);
        const files = [path.join(root, ".env")];
        const named = await attachFiles({ ...request, mentions: [], files }, place);
        expect(named.notices).to.deep.equal([".env: attached (1 line)"]);
    });

    it("Images are recognized by their bytes and attached if the model accepts them", async () => {
        const tree = { "shot.dat": PNG, "fake.png": "text" };
        const seen = await attach(tree, "@shot.dat @fake.png");
        expect(seen.parts.at(-1)).to.deep.equal({
            type: "image",
            mediaType: "image/png",
            data: PNG.toString("base64"),
            name: "shot.dat",
        });
        expect(seen.text).to.contain("## fake.png\n\n```\ntext\n```");
        const blind = await attach(tree, "@shot.dat", { images: false });
        expect(blind.parts).to.have.length(1);
        expect(blind.text).to.contain("does not accept images");
        expect(blind.notices[0]).to.contain("only its name is sent");
    });

    it("Images of more than 5 MB as base64 are not attached", async () => {
        const tree = { "big.png": Buffer.concat([PNG, Buffer.alloc(3.75 * 1024 * 1024)]) };
        const { parts, notices, root } = await attach(tree, "@big.png");
        expect(parts).to.have.length(1);
        expect(notices[0]).to.contain("the limit for images is 3.75 MB");
        await expectError(() => requireNamedFiles(["big.png"], root), "image-too-large");
    });

    it("Images of more than 8,000 pixels a side are not attached", async () => {
        const tree = { "tall.png": pngOf(1_280, 15_000) };
        const { parts, notices, root } = await attach(tree, "@tall.png");
        expect(parts).to.have.length(1);
        expect(notices[0]).to.contain("has 1280 × 15000 pixels; the limit is 8000 a side");
        await expectError(() => requireNamedFiles(["tall.png"], root), "image-too-large");
    });

    it("An attached folder is listed", async () => {
        const { text } = await attach({ "src/a.ts": "", "src/lib/b.ts": "" }, "@src/");
        expect(text).to.contain("A folder:\n\nlib/\na.ts");
        const { notices } = await attach({ "src/a.ts": "" }, "@src/");
        expect(notices[0]).to.match(/listed \(1 entry\)$/);
    });

    it("Devices and pipes are not even opened", async () => {
        const root = makeFolder();
        execFileSync("mkfifo", [path.join(root, "pipe")]);
        const { notices } = await attach({}, "@pipe @/dev/zero", { root });
        expect(notices).to.have.length(2);
        for (const notice of notices) expect(notice).to.contain("neither a file nor a folder");
    });

    it("Binary and empty files are named as such", async () => {
        const { text } = await attach(
            { "a.bin": Buffer.from([1, 0, 2]), "b.txt": "" },
            "@a.bin @b.txt"
        );
        expect(text).to.contain("A binary file of 3 bytes").and.to.contain("The file is empty.");
    });

    it("At most 20 files are attached at a time", async () => {
        const names = Array.from({ length: 22 }, (_, index) => `f${index}`);
        const tree = Object.fromEntries(names.map((name) => [name, "x"]));
        const { text, notices } = await attach(tree, names.map((name) => `@${name}`).join(" "));
        expect(text.match(/^## /gm)).to.have.length(20);
        expect(notices.at(-1)).to.equal("2 more were not attached: the limit is 20 at a time.");
    });

    it("A file named on the command line must exist", async () => {
        const root = makeFolder({ "a.txt": "a" });
        expect(await requireNamedFiles(["a.txt"], root)).to.deep.equal([path.join(root, "a.txt")]);
        await expectError(() => requireNamedFiles(["b.txt"], root), "not-found");
    });
});
