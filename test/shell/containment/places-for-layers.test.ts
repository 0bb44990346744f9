import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect } from "chai";
import { openContainment } from "../../../src/shell/containment/open-containment.js";
import { makeRepository } from "../../workspace/make-folder.js";
import { describeContained, optionsFor } from "./contained.js";

describeContained("the place for the layers", () => {
    const { symlinkSync } = fs;
    afterEach(() => {
        fs.symlinkSync = symlinkSync;
        syncBuiltinESMExports();
    });

    it("Another one is taken where a file system has no links", async () => {
        const options = optionsFor(makeRepository());
        const without = path.join(makeRepository(), "contained");
        fs.symlinkSync = (target, link, type) => {
            if (String(link).startsWith(without)) {
                const message = `EPERM: operation not permitted, symlink '${link}'`;
                throw Object.assign(new Error(message), { code: "EPERM" });
            }
            symlinkSync(target, link, type);
        };
        syncBuiltinESMExports();
        const opened = await openContainment({ ...options, layerFolders: [without] });
        expect(opened.kind === "available" && opened.lacks).to.equal(undefined);
        if (opened.kind === "available") await opened.containment.dispose();
        expect(fs.readdirSync(without)).to.deep.equal([]);
    });
});
