import path from "node:path";
import { expect } from "chai";
import type { Answer } from "../helpers/acp-editor.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    commitAll,
    pathWithPlainNpm,
    questionsAbout,
    type SessionCommand,
    withoutNamespaces,
} from "../helpers/command-session.js";
import { type LocalRegistry, startLocalRegistry } from "../helpers/local-registry.js";
import { patient } from "../helpers/patience.js";
import { type ProxyServer, startProxy } from "../helpers/proxy-server.js";
import { itUnsampled } from "../helpers/sample.js";
import { describeContained } from "../shell/containment/contained.js";
import { git } from "../workspace/make-folder.js";
import { EVENING, EVENING_FILES } from "./evening.js";

/** Questions by the kind of their command. */
type Counts = Readonly<Partial<Record<SessionCommand["kind"], number>>>;

interface Evening {
    readonly tier: string;
    readonly under: readonly string[] | undefined;
    /** With each question answered once. */
    readonly once: Counts;
    /** With builds and commits allowed for good where that is offered. */
    readonly always: Counts;
}

/**
 * Before outputs and commits were effects of contained runs, and without read-only runs (commit
 * 81f15326, by this test with `NORTH_PROGRAM`): 25 and 25 contained, with the installation run for
 * real; 60 and 38 without namespaces.
 */
const EVENINGS: readonly Evening[] = [
    {
        tier: "contained",
        under: [],
        // The installation asks for its host, and for what it did to the project's files.
        once: { real: 2, output: 10, git: 5, edit: 8 },
        always: { real: 2, output: 1, git: 1, edit: 8 },
    },
    {
        tier: "read-only",
        under: withoutNamespaces(),
        once: { real: 1, output: 10, git: 5, edit: 8 },
        always: { real: 1, output: 1, git: 5, edit: 8 },
    },
];

/** Without the programs of North's own packages, an npm among them: no user has these. */
const PATH_OF_USER = (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(path.delimiter);

const once: Answer = () => "yes";
const always: Answer = ({ options }) =>
    options.find(({ optionId, name }) => optionId === "always" && !name.includes("edits"))
        ?.optionId ?? "yes";

describeContained("How often an evening of 60 commands is interrupted", () => {
    let place: ClaudeWorkplace;
    let registry: LocalRegistry;
    let proxy: ProxyServer;
    let removeOrigin = () => {};
    before(async () => {
        registry = await startLocalRegistry();
        proxy = await startProxy();
    });
    after(() => Promise.all([registry.close(), proxy.close()]));
    beforeEach(() => {
        const { port } = new URL(registry.url);
        place = new ClaudeWorkplace({
            ...EVENING_FILES,
            ".npmrc": `registry=http://registry.example:${port}/\nreplace-registry-host=always\n`,
        });
        place.configure({ containment: "auto" });
        removeOrigin = commitAll(place);
    });
    afterEach(async () => {
        removeOrigin();
        await place.remove();
    });

    async function expectQuestions(
        answer: Answer,
        under: readonly string[],
        expected: Counts,
        PATH = PATH_OF_USER
    ) {
        const env = { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1", PATH };
        const { asked, results } = await questionsAbout(place, EVENING, answer, { env, under });
        const counts = EVENING.map(({ kind }) => [
            kind,
            asked.filter((each) => each.kind === kind).length,
        ]).filter(([, count]) => count !== 0);
        expect(Object.fromEntries(counts), JSON.stringify(asked, null, 1)).to.deep.equal(expected);
        // All of it happened: four tests failed, and everything is in the project.
        expect(results.filter((result) => /[#ℹ] fail 1\b/.test(result))).to.have.length(4);
        expect(git(place.repository, "rev-list", "--count", "HEAD").trim()).to.equal("6");
        expect(git(place.repository, "status", "--short")).to.equal("");
        const files = place.files();
        expect(files["dist/timer.js"]).to.contain("steps = 4;");
        expect(files).to.have.property("node_modules/ms/package.json");
    }

    it("The evening has 60 commands: ten builds, five commits, an installation", () => {
        const count = (kind: SessionCommand["kind"]) =>
            EVENING.filter((each) => each.kind === kind).length;
        expect(EVENING).to.have.length(60);
        expect([count("output"), count("git"), count("real")]).to.deep.equal([10, 5, 1]);
    });

    for (const evening of EVENINGS) {
        const { tier, under } = evening;
        itUnsampled(`Where commands run ${tier}, at most 25 times`, async function () {
            this.timeout(patient(600_000));
            if (under === undefined) this.skip();
            await expectQuestions(once, under, evening.once);
        });

        const test = tier === "contained" ? it : itUnsampled;
        test(`Where commands run ${tier}, at most 15 times once builds and commits are allowed`, async function () {
            this.timeout(patient(600_000));
            if (under === undefined) this.skip();
            const search = pathWithPlainNpm(place, PATH_OF_USER);
            await expectQuestions(always, under, evening.always, search);
        });
    }
});
