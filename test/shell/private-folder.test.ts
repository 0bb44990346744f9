import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { expect } from "chai";

import { removeTree } from "../../src/shell/private-folder.js";
import { writeTree } from "../workspace/make-folder.js";

describe("private folders", () => {
    const { PATH } = process.env;
    afterEach(() => {
        process.env.PATH = PATH;
    });

    it("What Node cannot remove goes too, without a program of the project that PATH leads to", async () => {
        const top = mkdtempSync(path.join(os.tmpdir(), "north-tree-"));
        const proof = path.join(top, "proof");
        for (const tool of ["chmod", "rm"]) {
            writeTree(top, { [`bin/${tool}`]: `#!/bin/sh\necho ${tool} >>"${proof}"\n` });
        }
        execFileSync("chmod", ["-R", "+x", path.join(top, "bin")]);
        const folder = path.join(top, "deep");
        mkdirSync(folder);
        // Longer than a path may be.
        const nest = "for i in {1..25}; do mkdir $(printf %0200d 0) && cd $_ || exit; done";
        execFileSync("bash", ["-c", nest], { cwd: folder });
        process.env.PATH = `${path.join(top, "bin")}:${PATH}`;
        await removeTree(folder);
        expect(existsSync(proof)).to.equal(false);
        expect(existsSync(folder)).to.equal(false);
    });
});
