import { expect } from "chai";
import Mocha from "mocha";
import type * as sample from "./sample.js";

const NAMES = ["NORTH_TEST_SAMPLE", "NORTH_TEST_SAMPLED", "NORTH_TEST_WHOLE", "NORTH_TEST_UNTIL"];
const outside = NAMES.map((name) => [name, process.env[name]] as const);

function setEnvironment(variables: readonly (readonly [string, string | undefined])[]): void {
    for (const [name, value] of variables) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
}

/** The module as `npm test` loads it at a commit; as CI does without one. */
async function sampleAt(commit?: number, whole?: string, until?: number): Promise<typeof sample> {
    setEnvironment([
        ["NORTH_TEST_SAMPLE", commit === undefined ? undefined : String(commit)],
        ["NORTH_TEST_SAMPLED", undefined],
        ["NORTH_TEST_WHOLE", whole],
        ["NORTH_TEST_UNTIL", until === undefined ? undefined : String(until)],
    ]);
    try {
        const module = `./sample.js?${commit}${whole}${until}`;
        return (await import(module)) as typeof sample;
    } finally {
        setEnvironment(outside);
    }
}

const CASES = Array.from({ length: 15 }, (_, index) => index);

/** Files with ten tests each, half of them in a suite of their own. */
function suiteOf(...files: readonly string[]): Mocha.Suite {
    const suite = new Mocha.Suite("");
    for (const file of files) {
        const outer = Mocha.Suite.create(suite, file);
        const inner = Mocha.Suite.create(outer, "inner");
        for (const index of CASES.slice(0, 10)) {
            const test = new Mocha.Test(String(index), () => {});
            test.file = file;
            (index < 5 ? outer : inner).addTest(test);
        }
    }
    return suite;
}

function titlesIn(suite: Mocha.Suite): string[] {
    const titles: string[] = [];
    suite.eachTest((test) => titles.push(test.fullTitle()));
    return titles;
}

describe("Sampling of tests", () => {
    it("A few commits in a row cover every case, and each commit always runs the same ones", async () => {
        const met: (readonly number[])[] = [];
        for (const commit of [960, 961, 962, 963]) {
            met.push((await sampleAt(commit)).sampled(CASES, 4));
        }
        expect(met.flat().sort((one, other) => one - other)).to.deep.equal(CASES);
        for (const cases of met) expect(cases.length).to.be.within(3, 4);
        expect((await sampleAt(960)).sampled(CASES, 4)).to.deep.equal(met[0]);
    });

    it("A few commits cover all steps of an open-ended scenario", async () => {
        const first = async (commit: number) => {
            const steps = (await sampleAt(commit)).sampledSteps();
            return [steps.next().value, steps.next().value];
        };
        const met: (readonly number[])[] = [];
        for (let commit = 0; commit < 4; commit += 1) met.push(await first(commit));
        const steps = Array.from({ length: 8 }, (_, index) => index + 1);
        expect(met.flat().sort((one, other) => one - other)).to.deep.equal(steps);
    });

    it("Eight commits in a row run each test of whole programs once", async () => {
        const file = "test/e2e/some.test.ts";
        const met: string[] = [];
        for (let commit = 1; commit <= 8; commit += 1) {
            const suite = suiteOf(file);
            (await sampleAt(commit)).sampleTests(suite);
            met.push(...titlesIn(suite));
        }
        expect(met.sort()).to.deep.equal(titlesIn(suiteOf(file)).sort());
    });

    it("Each file that starts whole programs runs at each commit, and each of its tests at one of a few commits", async () => {
        const file = "test/e2e/some.test.ts";
        const met = new Set<string>();
        for (let commit = 1; commit <= 3; commit += 1) {
            const suite = suiteOf(file);
            for (const part of suite.suites) {
                part.tests = part.tests.slice(0, 3);
                part.tests[1]!.pending = true;
                for (const inner of part.suites) inner.tests = inner.tests.slice(0, 1);
            }
            (await sampleAt(commit)).sampleTests(suite);
            const titles = titlesIn(suite);
            expect(titles).to.have.length(1);
            for (const title of titles) met.add(title);
        }
        expect(met.size).to.equal(3);
    });

    it("Other files, and files that changed, run whole", async () => {
        const [other, changed] = ["test/core/some.test.ts", "test/e2e/changed.test.ts"];
        const suite = suiteOf(other, changed);
        (await sampleAt(1, changed)).sampleTests(suite);
        expect(titlesIn(suite)).to.deep.equal(titlesIn(suiteOf(other, changed)));
    });

    it("Where a time is set, files that would begin later do not run", async () => {
        for (const [until, titles] of [
            [Date.now() - 1, []],
            [Date.now() + 60_000, titlesIn(suiteOf("test/core/some.test.ts"))],
        ] as const) {
            const suite = suiteOf("test/core/some.test.ts");
            (await sampleAt(1, undefined, until)).sampleTests(suite);
            expect(titlesIn(suite)).to.deep.equal(titles);
        }
    });

    it("Where nothing is sampled, everything runs", async () => {
        const all = await sampleAt();
        expect(all.sampled(CASES)).to.deep.equal(CASES);
        expect(all.sampledRuns(100)).to.equal(100);
        expect(all.sampledSteps().next().value).to.equal(1);
        const suite = suiteOf("test/e2e/some.test.ts");
        all.sampleTests(suite);
        expect(titlesIn(suite)).to.deep.equal(titlesIn(suiteOf("test/e2e/some.test.ts")));
    });
});
