import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { Answer } from "../helpers/acp-editor.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    commitAll,
    pathWithPlainNpm,
    questionsAbout,
    type SessionCommand,
} from "../helpers/command-session.js";
import { patient } from "../helpers/patience.js";
import { itUnsampled, sampled } from "../helpers/sample.js";
import { describeContained } from "../shell/containment/contained.js";
import { ALL_ROUNDS, recordedCommands, SHOP_FILES, shortRounds } from "./recorded-mix.js";

/** Takes the lasting answer where one is offered, for edits only if told. No test reaches a host. */
const answerOf =
    (lasting: "outputs" | { readonly edits: boolean }): Answer =>
    ({ options, toolCall }) => {
        if (/reach/.test(String(toolCall.title))) return "no";
        const outputs = options.find(({ name }) => /leaves there, until/.test(name));
        if (lasting === "outputs") return outputs?.optionId ?? "yes";
        const always = options.find(({ optionId }) => optionId === "always");
        const counts = always && (lasting.edits || !/edits/.test(always.name));
        return counts ? always.optionId : "yes";
    };

describeContained("How often two recorded sessions of 398 commands are interrupted", () => {
    let place: ClaudeWorkplace;
    let removeOrigin = () => {};
    beforeEach(() => {
        place = new ClaudeWorkplace(SHOP_FILES);
        place.configure({ containment: "auto" });
        const themes = path.join(place.home, ".agent/themes");
        mkdirSync(themes, { recursive: true });
        writeFileSync(path.join(themes, "dark.json"), '{"dark": true}\n');
        removeOrigin = commitAll(place);
        place.write(
            ".npmrc",
            "//registry.example/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789\n"
        );
    });
    afterEach(async () => {
        removeOrigin();
        await place.remove();
    });

    async function ask(
        answer: Answer,
        commands: readonly SessionCommand[],
        env: Readonly<Record<string, string>> = {}
    ) {
        const { asked, results } = await questionsAbout(place, commands, answer, { env });
        expect(results).to.have.length(commands.length);
        const needless = asked.filter(({ kind }) => kind === "quiet");
        expect(needless, `needless questions: ${JSON.stringify(needless)}`).to.deep.equal([]);
        return { asked, share: asked.length / commands.length };
    }

    const askShort = (answer: Answer) =>
        ask(answer, shortRounds(ALL_ROUNDS).flat(), {
            PATH: pathWithPlainNpm(place, process.env.PATH ?? ""),
        });

    it("The fixture has the mix of the recorded sessions", () => {
        const kinds = recordedCommands(ALL_ROUNDS).map(({ kind }) => kind);
        const count = (wanted: SessionCommand["kind"]) =>
            kinds.filter((kind) => kind === wanted).length;
        expect(kinds).to.have.length(398);
        // Five of the quiet ones make an empty folder.
        expect(count("quiet")).to.equal(285 + 5);
        expect([count("edit"), count("output")]).to.deep.equal([37, 31]);
        expect([count("git"), count("real")]).to.deep.equal([32, 8]);
    });

    it("With builds and commits allowed for good, four of five commands need no question", async () => {
        const commands = recordedCommands(sampled(ALL_ROUNDS));
        const { asked, share } = await ask(answerOf({ edits: false }), commands);
        expect(share, JSON.stringify(asked, null, 1)).to.be.below(0.2);
        expect(asked.length).to.be.below(60);
    }).timeout(patient(600_000));

    itUnsampled(
        "With outputs kept until North quits, builds ask once for each command",
        async () => {
            const { asked } = await askShort(answerOf("outputs"));
            const builds = asked.filter(({ kind }) => kind === "output");
            expect(builds, JSON.stringify(asked, null, 1)).to.have.length(2);
            // Each edit and each commit is another one.
            expect(asked.length).to.be.below(80);
        }
    ).timeout(patient(600_000));

    itUnsampled("With edits allowed for good too, fewer than 25 do", async () => {
        const { asked } = await askShort(answerOf({ edits: true }));
        expect(asked.length, JSON.stringify(asked, null, 1)).to.be.below(25);
    }).timeout(patient(600_000));
});
