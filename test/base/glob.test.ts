import { expect } from "chai";
import fc from "fast-check";
import picomatch from "picomatch";
import { sampledRuns } from "../helpers/sample.js";
import { isExpectedError } from "../../src/base/north-error.js";
import { compileGlob } from "../../src/base/glob.js";

const NAMES = fc.stringMatching(/^[aAb.é-]{1,5}$/).filter((name) => !/^\.{1,2}$/.test(name));
const PATHS = fc.array(NAMES, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

describe("globs", () => {
    it("A glob matches the same paths as picomatch", async () => {
        const part = fc.constantFrom(
            ...["*", "**", "?", "a", "b", "A", "é", ".", "-", "/", "/", "/**/", "*/"],
            ...["{a,b}", "{*,b}", "[ab]", "[^a]", "\\*", "*.b", "{a..b}"]
        );
        const globs = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
        await fc.assert(
            fc.asyncProperty(globs, fc.boolean(), PATHS, async (glob, nocase, path) => {
                const matches = await compileGlob(glob, { ignoreCase: nocase });
                const options = { dot: true, nocase, noextglob: true, nonegate: true };
                expect(matches(path), `${glob} ${path}`).to.equal(
                    picomatch.makeRe(glob, options).test(path)
                );
            }),
            { numRuns: sampledRuns(2_000), examples: [["*/**/*{*,b}", false, "é"]] }
        );
    });

    it("A glob is either compiled or refused as invalid, whatever the text", async () => {
        const marks = fc.constantFrom(..."*?/.{},[]()!@+|\\^$é".split(""));
        const texts = fc.array(fc.oneof(marks, fc.string()), { maxLength: 12 });
        await fc.assert(
            fc.asyncProperty(texts, async (parts) => {
                const compiled = await compileGlob(parts.join("")).catch((error) => error);
                if (typeof compiled !== "function") expect(compiled).to.satisfy(isExpectedError);
            }),
            { numRuns: sampledRuns(2_000) }
        );
    });

    it("A hostile glob is matched against a long name in linear time", async () => {
        const piece = fc.constantFrom("*a", "*", "?*", "{*a,*}", "**/", "[^b]*", "*aa*");
        const globs = fc
            .array(piece, { minLength: 10, maxLength: 40 })
            .map((parts) => `${parts.join("")}*b`);
        const paths = fc.constantFrom("a".repeat(200), "a/".repeat(2_000), "ab".repeat(100));
        await fc.assert(
            fc.asyncProperty(globs, paths, async (glob, path) => {
                (await compileGlob(glob))(path);
            }),
            { numRuns: 50 }
        );
    });
});
