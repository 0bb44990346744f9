import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { createChangeApplier } from "../../src/workspace/apply/apply-change-set.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { makeFolder } from "./make-folder.js";

const SECRET = "nobody may read this";

/** Ways to write the path of a file outside, from a root with links and folders. */
function spellings(root: string, outside: string, name: string): readonly string[] {
    const target = path.join(outside, name);
    const around = path.relative(root, target);
    const climbs = ["", "./", "a/../", "a/b/../../", ".//", "a/./../", "a//..//"];
    const roots = ["/", "//", "/./", "/proc/self/root/", "/proc/self/cwd/../", "/../../"];
    const links = ["folder-out/", "a/../folder-out/", "chain/", "./folder-out/./", "a/up/"];
    return [
        ...climbs.map((climb) => `${climb}${around}`),
        ...climbs.map((climb) => `${climb}${around}/`),
        ...climbs.map((climb) => `${root}/${climb}${around}`),
        ...roots.map((prefix) => `${prefix}${target.slice(1)}`),
        ...links.map((link) => `${link}${name}`),
        ...links.map((link) => `${root}/${link}${name}`),
        `${target}\0`,
        `a\0/../${around}`,
        around.replaceAll("/", "\\"),
        around.replaceAll(".", "%2e"),
        around.replaceAll("..", "．．"),
        around.replaceAll("/", "%2f"),
        `file://${target}`,
        `~/../..${target}`,
        `$HOME/../..${target}`,
        ` ${around}`,
        `${around} `,
        `\n${around}`,
        "file-out",
        `./a/../file-out`,
    ];
}

describe("Paths that lead out of the repository", () => {
    it("No spelling of a path outside reads or creates anything there", async () => {
        const outside = makeFolder({ "secret.txt": SECRET });
        const root = makeFolder({ "a/b/file.txt": "inside\n" });
        symlinkSync(outside, path.join(root, "folder-out"));
        symlinkSync("folder-out", path.join(root, "chain"));
        symlinkSync(outside, path.join(root, "a/up"));
        symlinkSync(path.join(outside, "secret.txt"), path.join(root, "file-out"));
        const workspace = openWorkspace({ root });
        const { apply } = createChangeApplier({ root });

        const { bytes } = await workspace.read("a/../a/b/file.txt");
        expect(Buffer.from(bytes).toString()).to.equal("inside\n");
        const reads = spellings(root, outside, "secret.txt");
        expect(reads.length).to.be.at.least(49);
        for (const given of reads) {
            const read = await workspace.read(given).then(
                ({ bytes }) => Buffer.from(bytes).toString(),
                () => ""
            );
            expect(read, given).not.to.contain(SECRET);
        }
        const after = new TextEncoder().encode("made\n");
        for (const given of spellings(root, outside, "made.txt")) {
            const change = { path: given, before: null, beforeHash: null, after };
            await apply({ changes: [change] }).catch(() => {});
            expect(readdirSync(outside), given).to.deep.equal(["secret.txt"]);
        }
        expect(readFileSync(path.join(outside, "secret.txt"), "utf8")).to.equal(SECRET);
        expect(existsSync(path.join(path.dirname(root), "made.txt"))).to.equal(false);
    });
});
