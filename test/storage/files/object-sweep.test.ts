import { expect } from "chai";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createConversationStore } from "../../../src/storage/conversations/conversations.js";
import { createObjectStore } from "../../../src/storage/files/object-store.js";
import { removeUnnamedObjects } from "../../../src/storage/files/object-sweep.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("Sweeping objects", () => {
    const folder = temporaryFolder();

    const fileOf = (hash: string) =>
        path.join(folder(), "objects", hash.slice(0, 2), hash.slice(2));

    async function put(text: string, { isOld = true } = {}): Promise<string> {
        const hash = await createObjectStore(folder()).put(Buffer.from(text));
        if (isOld) utimesSync(fileOf(hash), 1000, 1000);
        return hash;
    }

    function name(id: string, hash: string, before = ""): void {
        mkdirSync(path.join(folder(), "conversations"), { recursive: true });
        const content = `${before}{"beforeHash":"${hash}"}\n`;
        writeFileSync(path.join(folder(), "conversations", `${id}.jsonl`), content);
    }

    it("Recent objects and those that a log names are kept", async () => {
        const [named, torn, young, old] = await Promise.all([
            put("named"),
            put("torn"),
            put("young", { isOld: false }),
            put("old"),
        ]);
        // Over the end of a chunk, and in a line that is no JSON any more.
        name("abc123", named, "x".repeat(64 * 1024 - 40));
        name("def456", torn, '{"type":');
        expect(await removeUnnamedObjects(folder())).to.equal(1);
        expect([named, torn, young].every((hash) => existsSync(fileOf(hash)))).to.equal(true);
        expect(existsSync(fileOf(old))).to.equal(false);
    });

    it("An old object that is stored again survives a sweep", async () => {
        const hash = await put("again");
        await put("again", { isOld: false });
        expect(await removeUnnamedObjects(folder())).to.equal(0);
        expect(existsSync(fileOf(hash))).to.equal(true);
    });

    it("A removal interrupted by a kill is finished or reverted", async () => {
        const [named, unnamed] = await Promise.all([put("named"), put("unnamed")]);
        name("abc123", named);
        for (const hash of [named, unnamed]) renameSync(fileOf(hash), `${fileOf(hash)}.leaving`);
        expect(await removeUnnamedObjects(folder())).to.equal(1);
        expect(existsSync(fileOf(named))).to.equal(true);
        expect(existsSync(`${fileOf(unnamed)}.leaving`)).to.equal(false);
    });

    it("An object survives another process's sweep while it is stored", async () => {
        const hash = createHash("sha256").update("wanted").digest("hex");
        for (let round = 0; round < 30; round += 1) {
            await put("wanted");
            await Promise.all([
                put("wanted", { isOld: false }),
                removeUnnamedObjects(folder()),
                removeUnnamedObjects(folder()),
            ]);
            expect(existsSync(fileOf(hash)), `round ${round}`).to.equal(true);
        }
    });

    it("Deleting a conversation sweeps its objects", async () => {
        const store = createConversationStore(folder());
        const hash = await put("before");
        for (const id of ["abc123", "def456"]) {
            const { journal } = await store.start({ id, root: "/", provider: "", model: "" });
            const files = [{ path: "a", beforeHash: hash, afterHash: null }];
            const entry = { kind: "change" as const, id: "change", at: 1, files };
            journal.append({ type: "entry_added", entry });
            await journal.close();
        }
        await store.remove("abc123");
        expect(existsSync(fileOf(hash))).to.equal(true);
        await store.remove("def456");
        expect(existsSync(fileOf(hash))).to.equal(false);
    });
});
