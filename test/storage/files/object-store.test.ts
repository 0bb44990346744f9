import { expect } from "chai";
import { createHash } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createObjectStore } from "../../../src/storage/files/object-store.js";
import { expectError } from "../expect-error.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("Object store", () => {
    const folder = temporaryFolder();
    const bytes = Buffer.from([0, 255, 10, 13, 0]);
    const files = () =>
        readdirSync(path.join(folder(), "objects"), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => path.join(entry.parentPath, entry.name));

    it("Stored bytes are returned unchanged and kept once", async () => {
        const store = createObjectStore(folder());
        const hash = await store.put(bytes);
        expect(hash).to.equal(createHash("sha256").update(bytes).digest("hex"));
        expect(await store.put(bytes)).to.equal(hash);
        expect(bytes.equals(await createObjectStore(folder()).get(hash))).to.equal(true);
        expect((await store.get(await store.put(Buffer.alloc(0)))).length).to.equal(0);
        expect(files()).to.have.length(2);
        expect(statSync(files()[0]!).mode & 0o777).to.equal(0o600);
    });

    it("A malformed hash and an unknown one are refused", async () => {
        const store = createObjectStore(folder());
        for (const hash of ["", "../../etc/passwd", "0".repeat(64)]) {
            await expectError(() => store.get(hash), "object-missing");
        }
    });

    it("Damaged bytes are never returned and are replaced when stored again", async () => {
        const store = createObjectStore(folder());
        const hash = await store.put(bytes);
        writeFileSync(files()[0]!, "other");
        await expectError(() => store.get(hash), "object-damaged");
        await store.put(bytes);
        expect(bytes.equals(await store.get(hash))).to.equal(true);
    });
});
