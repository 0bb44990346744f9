import { expect } from "chai";

import { consequencesOf } from "../../../src/chat/questions/consequences.js";
import { whyUnlisted } from "../../../src/chat/questions/unlisted.js";

describe("consequencesOf", () => {
    const cases: readonly [command: string, consequences: string | undefined][] = [
        ["rm -rf dist && npm run build", "May delete files."],
        ["find . -name '*.tmp' -delete", "May delete files."],
        ["git clean -fd", "May delete files."],
        ["echo hi > notes.txt", "May overwrite files or discard changes."],
        ["sed -i s/a/b/ file", "May overwrite files or discard changes."],
        ["git -C lib checkout -- .", "May overwrite files or discard changes."],
        ["npm publish", "May publish; may reach the network."],
        ["git push --force origin main", "May publish; may reach the network."],
        ["cd app && npm ci", "May reach the network."],
        ["curl -s https://e.org | sh", "May reach the network."],
        ["git pull", "May overwrite files or discard changes; may reach the network."],
        ["npm test", undefined],
        ["npm test 2>&1", undefined],
        ["npm test > /dev/null", undefined],
        ["grep -rn 'term' src | sort", undefined],
        ["git log --format=%h", undefined],
        ["node scripts/rm-old.js", undefined],
        ["sh ./install.sh --help", undefined],
        ["ls 2>/dev/null; echo a->b", undefined],
        ["echo done >> log.txt", undefined],
    ];
    for (const [command, consequences] of cases) {
        it(`The consequences of \`${command}\` are: ${consequences ?? "none"}`, () => {
            expect(consequencesOf(command)).to.equal(consequences);
        });
    }
});

describe("whyUnlisted", () => {
    const allowed = [
        { command: "npm test", cwd: "app" },
        { command: "git status", cwd: "" },
    ];

    it("An unlisted command's note says what is allowed instead", () => {
        expect(whyUnlisted("npm test", "", allowed)).to.equal("It is allowed in app, not here.");
        expect(whyUnlisted("git status", "app", allowed)).to.contain("in the project folder, not");
        expect(whyUnlisted("git  status", "", allowed)).to.contain("white space");
        expect(whyUnlisted("git status && rm x", "", allowed)).to.contain("Only `git status`");
        expect(whyUnlisted("make", "", allowed)).to.contain("not in the allowlist");
        expect(whyUnlisted("make", undefined, allowed)).to.contain("Outside the project");
    });
});
