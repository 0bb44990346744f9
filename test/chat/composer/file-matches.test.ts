import { expect } from "chai";
import fc from "fast-check";

import { indexFiles, matchFiles } from "../../../src/chat/composer/file-completer.js";

const match = (paths: readonly string[], typed: string, limit = 10) =>
    matchFiles(indexFiles(paths), typed, limit);

describe("matchFiles", () => {
    it("Equal names come first, then prefixes, then substrings, then scattered characters", () => {
        const paths = [
            "lib/a/p/p.ts",
            "src/my-app.ts",
            "app/readme.md",
            "src/app.ts",
            "my/app/x.md",
            "src/app",
            "src/application.ts",
        ];
        expect(match(paths, "APP")).to.deep.equal([
            "src/app",
            "src/app.ts",
            "src/application.ts",
            "app/",
            "my/app/",
            "app/readme.md",
            "src/my-app.ts",
            "my/app/x.md",
        ]);
        expect(match(paths, "mpp")).to.deep.equal(["src/my-app.ts"]);
    });

    it("Folders come after equally matching files, and match by prefix", () => {
        const paths = ["src/chat/editor.ts", "src/chat.ts", "docs/chat.md"];
        expect(match(paths, "chat")).to.deep.equal([
            "src/chat.ts",
            "docs/chat.md",
            "src/chat/",
            "src/chat/editor.ts",
        ]);
        expect(match(paths, "src/")).to.deep.equal([
            "src/",
            "src/chat.ts",
            "src/chat/editor.ts",
            "src/chat/",
        ]);
    });

    it("Scattered characters match within the file's name only", () => {
        const paths = ["src/chat/editor.ts", "test/unit/detached.unit.test.ts", "compare.sh"];
        expect(match(paths, "etr")).to.deep.equal(["src/chat/editor.ts"]);
        expect(match(paths, "nosuch.ts")).to.deep.equal([]);
        expect(match(["scripts/ci/compare-coverage.sh"], "TIME")).to.deep.equal([]);
        expect(match(["src/a.ts"], "ax")).to.deep.equal([]);
    });

    it("Folders in the middle of a path may be left out", () => {
        const paths = [
            "src/pkg4/lib/mod.ts",
            "src/pkg49/lib/mod.ts",
            "src/pkg49.ts",
            "mod/pkg49/a",
        ];
        expect(match(paths, "pkg49/mod")).to.deep.equal(["src/pkg49/lib/mod.ts"]);
        expect(match(paths, "src/pkg5/mod")).to.deep.equal([]);
    });

    it("The best matches of any number of files equal those of sorting them all", () => {
        const paths = fc.uniqueArray(fc.stringMatching(/^[ab/]{1,8}$/), { maxLength: 60 });
        fc.assert(
            fc.property(
                paths,
                fc.stringMatching(/^[ab]{0,3}$/),
                fc.integer({ min: 1, max: 9 }),
                (all, typed, limit) => {
                    const best = match(all, typed, limit);
                    expect(best).to.deep.equal(match(all, typed, 1000).slice(0, best.length));
                    expect(best.length).to.be.at.most(limit);
                    const direct = all.filter((path) => path.includes(typed)).length;
                    expect(best.length).to.be.at.least(Math.min(direct, limit));
                }
            )
        );
    });
});
