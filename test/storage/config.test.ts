import { expect } from "chai";
import {
    lstatSync,
    readdirSync,
    readFileSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { readConfig, updateConfig } from "../../src/storage/config.js";
import { expectError } from "./expect-error.js";
import { temporaryFolder } from "./temporary-folder.js";

describe("Config file", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "config.json");

    it("The configuration is empty without a file", async () => {
        expect(await readConfig(folder())).to.deep.equal({});
        expect(readdirSync(folder())).to.deep.equal([]);
    });

    it("Unknown fields are kept", async () => {
        writeFileSync(file(), '{"palette": {"day": 5}, "selectedModel": "sonnet"}');
        await updateConfig(folder(), { selectedModel: "gpt-5.1" }, expect.fail);
        const expected = { palette: { day: 5 }, selectedModel: "gpt-5.1" };
        expect(JSON.parse(readFileSync(file(), "utf8"))).to.deep.equal(expected);
        expect(await readConfig(folder())).to.deep.equal(expected);
        await updateConfig(folder(), { selectedModel: undefined }, expect.fail);
        expect(JSON.parse(readFileSync(file(), "utf8"))).to.deep.equal({ palette: { day: 5 } });
    });

    for (const [name, meant] of [
        ["contaiment", "containment"],
        ["budgets", "budget"],
        ["Checks", "checks"],
        ["hook", "hooks"],
    ] as const) {
        it(`A misspelt \`${meant}\` is an error, not an unknown setting`, async () => {
            writeFileSync(file(), JSON.stringify({ [name]: {} }));
            const { message } = await expectError(() => readConfig(folder()), "config-corrupt");
            expect(message).to.equal(
                `${file()} is invalid: there is no setting \`${name}\`; did you mean \`${meant}\`?`
            );
        });
    }

    it("Budgets are read", async () => {
        const budget = { perConversationUsd: 0.5, perDayUsd: 10 };
        writeFileSync(file(), JSON.stringify({ budget }));
        expect((await readConfig(folder())).budget).to.deep.equal(budget);
    });

    const wanted = "`budget` must be amounts above 0: perConversationUsd, perDayUsd";
    const amount = "`budget.perDayUsd` must be an amount in US dollars above 0";
    for (const [budget, problem] of [
        [5, wanted],
        ["5", wanted],
        [[], wanted],
        [{ perDayUsd: "5" }, amount],
        [{ perDayUsd: -1 }, amount],
        [{ perDay: 5 }, "`budget.perDay` is not a known field (known: perConversationUsd, "],
    ] as const) {
        it(`A budget of ${JSON.stringify(budget)} is not taken for none`, async () => {
            writeFileSync(file(), JSON.stringify({ budget }));
            const { message } = await expectError(() => readConfig(folder()), "config-corrupt");
            expect(message).to.contain(problem);
        });
    }

    it("The notification setting accepts only known values", async () => {
        writeFileSync(file(), '{"notify": "bell"}');
        expect(await readConfig(folder())).to.include({ notify: "bell" });
        writeFileSync(file(), '{"notify": "loud"}');
        const { message } = await expectError(() => readConfig(folder()), "config-corrupt");
        expect(message).to.contain('`notify` must be one of "off", "bell", "desktop"');
    });

    for (const [settings, expected] of [
        [{ fallbackModels: "sonnet" }, "a list of models"],
        [{ checkCommands: "npm test" }, "a list of commands"],
        [{ webSearch: "yes" }, "true or false"],
        [{ statusLine: 5 }, "a shell command"],
        [{ exploreModel: 5 }, "a model"],
        [{ tier: "fast" }, '"flex"'],
    ] as const) {
        it(`${JSON.stringify(settings)} is answered with what belongs there, not with a type of JSON`, async () => {
            writeFileSync(file(), JSON.stringify(settings));
            const { message } = await expectError(() => readConfig(folder()), "config-corrupt");
            expect(message).to.contain(`\`${Object.keys(settings)[0]}\` must be ${expected}`);
        });
    }

    it("The config file is private", async () => {
        await updateConfig(folder(), { selectedModel: "sonnet" }, expect.fail);
        expect(statSync(file()).mode & 0o777).to.equal(0o600);
    });

    it("A damaged config file is left alone, and the error names it and the next step", async () => {
        for (const content of ["{,}", '{"selectedModel": 5}', "[]"]) {
            writeFileSync(file(), content);
            const error = await expectError(() => readConfig(folder()), "config-corrupt");
            expect(error.message).to.contain(file());
            expect(error.nextSteps).not.to.deep.equal([]);
            expect(readFileSync(file(), "utf8")).to.equal(content);
        }
    });

    it("Writing sets a damaged config file aside and reports it", async () => {
        writeFileSync(file(), "{,}");
        const warnings: string[] = [];
        await updateConfig(folder(), { selectedModel: "sonnet" }, (text) => warnings.push(text));
        expect(await readConfig(folder())).to.deep.equal({ selectedModel: "sonnet" });
        expect(readdirSync(folder())).to.have.length(2);
        expect(warnings).to.have.length(1);
    });

    it("Writing through a link keeps the link", async () => {
        const target = path.join(folder(), "dotfiles.json");
        writeFileSync(target, '{"a": 1}');
        symlinkSync(target, file());
        await updateConfig(folder(), { selectedModel: "sonnet" }, expect.fail);
        expect(lstatSync(file()).isSymbolicLink()).to.equal(true);
        expect(JSON.parse(readFileSync(target, "utf8"))).to.deep.equal({
            a: 1,
            selectedModel: "sonnet",
        });
    });
});
