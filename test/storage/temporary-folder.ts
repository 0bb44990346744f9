import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder of its own for each test of a suite, gone afterwards. */
export function temporaryFolder(): () => string {
    let folder = "";
    beforeEach(() => {
        folder = realpathSync(mkdtempSync(path.join(tmpdir(), "north-storage-")));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));
    return () => folder;
}
