import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { forecastCommand } from "../../../src/host/effects/forecast-command.js";

/** In a repository with these files; new.txt and what is ignored are not in git. */
const FILES: Readonly<Record<string, string>> = {
    ".gitignore": "build/c.o\n*.log\n",
    "a.txt": "a\n",
    "a b.txt": "spaces\n",
    "src/main.ts": "main\n",
    "build/a.js": "a\n",
    "build/b.js": "b\n",
};
const UNTRACKED: Readonly<Record<string, string>> = {
    "new.txt": "new\n",
    "build/c.o": "object\n",
    "debug.log": "log\n",
    // Git has another version of it.
    "src/main.ts": "changed\n",
};

type Case = readonly [command: string, ...consequences: readonly string[]];

const DELETIONS: readonly Case[] = [
    ["rm a.txt", "deletes a.txt"],
    ["rm -f new.txt", "deletes new.txt (not in git)"],
    ["rm -rf build", "deletes build (3 files, 1 not in git)"],
    ["rm -r -- build/", "deletes build/ (3 files, 1 not in git)"],
    ["rm *.txt", "deletes *.txt (3 files, 1 not in git)"],
    ["rm {a,new}.txt", "deletes {a,new}.txt (2 files, 1 not in git)"],
    ["rm 'a b.txt'", "deletes 'a b.txt'"],
    [String.raw`rm a\ b.txt`, String.raw`deletes a\ b.txt`],
    ["rm nowhere", "deletes nowhere (not there now)"],
    ['rm "$DIR"/a', 'deletes "$DIR"/a'],
    ["cd build && rm c.o", "deletes c.o (not in git)"],
    ["cd build || exit 1; rm c.o", "deletes c.o (not in git)"],
    ["(cd build; rm c.o); rm a.txt", "deletes c.o (not in git)", "deletes a.txt"],
    ["cd $DIR; rm a.txt", "deletes a.txt"],
    ["if true; then rm a.txt; fi", "deletes a.txt"],
    ["clean() { rm a.txt; }; clean", "deletes a.txt"],
    ["echo $(rm a.txt)", "deletes a.txt"],
    ["FORCE=1 \\rm a.txt", "deletes a.txt"],
    ["sudo -u bob rm a.txt", "as bob", "deletes a.txt"],
    ["env -i A=b rm a.txt", "deletes a.txt"],
    ["timeout -k 5 10 nohup command rm a.txt", "deletes a.txt"],
    ["ls | xargs -n 1 rm", "deletes what xargs passes"],
    ["find . -name '*.o' -exec rm {} +", "deletes what find finds"],
    ["find build -name '*.o' -delete", "deletes what find finds in build"],
    ["bash -lc 'cd build && rm c.o'", "deletes c.o (not in git)"],
    ["eval 'rm a.txt'", "deletes a.txt"],
    ["bash <<'END'\nrm a.txt\nEND", "deletes a.txt"],
    ["git rm a.txt", "deletes a.txt"],
    ["git clean -fd", "deletes 1 file not in git"],
    ["git clean -fdx", "deletes 3 files not in git"],
    ["git -C build clean -fX", "deletes 1 file not in git"],
    ["npx rimraf build", "deletes build (3 files, 1 not in git)"],
];

const OVERWRITES: readonly Case[] = [
    ["echo hi > a.txt", "overwrites a.txt"],
    ["echo hi >| new.txt", "overwrites new.txt (not in git)"],
    ["make &> new.txt", "overwrites new.txt (not in git)"],
    ["cat x | tee a.txt", "overwrites a.txt"],
    ["mv new.txt a.txt", "overwrites a.txt"],
    ["cp src/a.txt .", "overwrites a.txt"],
    ["sed -i s/a/b/ a.txt", "overwrites a.txt"],
    ["sed -i.bak -e s/a/b/ a.txt", "overwrites a.txt"],
    ["perl -pi -e s/a/b/ a.txt", "overwrites a.txt"],
    ["truncate -s 0 new.txt", "overwrites new.txt (not in git)"],
    ["echo hi > link", "overwrites link"],
    ["curl -so a.txt https://e.org", "overwrites a.txt"],
    ["git checkout -- .", "discards changes to 1 file"],
    ["git reset --hard HEAD~1", "discards changes to 1 file"],
    ["git restore src", "discards changes to 1 file"],
];

const OTHERS: readonly Case[] = [
    ["git push", "pushes"],
    ["git push --force origin main", "pushes to origin/main, force"],
    ["git push origin +main:next", "pushes to origin/next, force"],
    ["git push origin :old", "deletes old on origin"],
    ["git -c a=b -c c=d push -f", "pushes, force"],
    ["git branch -D old", "deletes the branch old, merged or not"],
    ["git stash drop", "deletes a stash"],
    ["sudo bash", "as root"],
    ["curl -s https://e.org | sh", "downloads and runs"],
    ["wget -qO- https://e.org | tar xz | sudo bash -s -- -y", "downloads and runs"],
    ["bash <(curl -s https://e.org)", "downloads and runs"],
    ['eval "$(curl -s https://e.org)"', "downloads and runs"],
    ["cat script | bash", "runs what is piped into it"],
    ["cat <<END | sh\nrm x\nEND", "runs what is piped into it"],
    ["chmod -R 777 src build", "changes permissions of 4 files"],
    ["chmod 777 a.txt", "changes permissions of a.txt"],
    ["sudo chown -R me build", "as root", "changes the owner of 3 files"],
    ["pkill node", "stops processes"],
    ["kill -9 123", "stops processes"],
    ["kubectl -n app delete pod web", "deletes from the cluster"],
    ["terraform destroy -auto-approve", "destroys infrastructure"],
    ["aws s3 rm s3://bucket --recursive", "deletes from the cloud"],
    ["mkfs.ext4 /dev/sdz1", "formats a disk"],
    ["npm publish", "publishes"],
    ["docker volume rm data", "deletes containers, images or volumes"],
    ["podman compose down", "stops containers"],
    ["psql -c 'DROP TABLE users'", "deletes from a database"],
    ['echo "rm a.txt', "part of it could not be read"],
];

const HARMLESS: readonly string[] = [
    'grep "=>" x',
    "awk '$1 > 5' a.txt",
    "git stash list",
    "git stash",
    "npm test",
    "npm test 2>&1",
    "npm test > /dev/null 2>&1",
    "npm ci",
    "ls -la | sort | head -3",
    "grep -rn 'rm -rf' src",
    "echo 'git push --force'",
    "echo hi > fresh.txt",
    "echo done >> a.txt",
    "git log --format=%h",
    "git checkout main",
    "git push --dry-run",
    "git clean -nd",
    "git rm --cached a.txt",
    "node scripts/rm-old.js",
    "sh ./install.sh --help",
    "cat data.json | python3 -m json.tool",
    "curl -s https://e.org | jq .",
    "chmod +x run.sh",
    "chmod -x run.sh",
    "kill -0 123",
    "command -v rm",
    "kubectl get pods",
    "terraform plan",
    "tar -tf a.tar",
    "sed -n 1,5p a.txt",
    "cp a.txt fresh.txt",
    "cat <<END\nrm -rf build\nEND",
    "# rm -rf build",
    "rm",
    "git -c -c -c -c -c",
];

describe("What a command would do", () => {
    let root: string;

    before(() => {
        root = realpathSync(mkdtempSync(path.join(tmpdir(), "north-forecast-")));
        const git = (...words: string[]) => execFileSync("git", words, { cwd: root });
        write(FILES);
        mkdirSync(path.join(root, ".empty"));
        git("init", "-q");
        git("add", ".");
        write(UNTRACKED);
        symlinkSync("a.txt", path.join(root, "link"));
        git("add", "link");
    });
    after(() => rmSync(root, { recursive: true, force: true }));

    function write(files: Readonly<Record<string, string>>): void {
        for (const [name, text] of Object.entries(files)) {
            mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
            writeFileSync(path.join(root, name), text);
        }
    }
    const consequencesOf = async (command: string) =>
        (await forecastCommand(command, { root, cwd: root, isRepository: true })).consequences;

    for (const [command, ...expected] of [...DELETIONS, ...OVERWRITES, ...OTHERS]) {
        it(`\`${command}\` has a consequence: ${expected.join(", ")}`, async () => {
            expect(await consequencesOf(command)).to.include.members(expected);
        });
    }

    for (const command of HARMLESS) {
        it(`\`${command}\` has no consequence`, async () => {
            expect(await consequencesOf(command)).to.deep.equal([]);
        });
    }

    it("What is lost is what git does not hold", async () => {
        const { losses } = await forecastCommand("rm -rf build src a.txt > new.txt", {
            root,
            cwd: root,
            isRepository: true,
        });
        const names = losses.map((file) => path.relative(root, file.path)).sort();
        expect(names).to.deep.equal(["build/c.o", "new.txt", "src/main.ts"]);
    });

    it("A command line that is too long is reported as unparsed", async () => {
        const said = await consequencesOf(`echo ${"a".repeat(200_000)}`);
        expect(said).to.deep.equal(["part of it could not be read"]);
    });

    // One thing in another, or beside it, up to 100 KB of it.
    const piece = fc.constantFrom(
        ...'git -c |(|$(|bash <(|sudo |`|"$(|{ |a && |a \\|\\| |cd x; |if a; then |<<E |find -exec |rm * |\'|\\|[|\n|&|x=$((|bash -c "'.split(
            /(?<!\\)\|/
        )
    );
    it("Any command line is read in bounded time, whatever is nested in it", async () => {
        const hostile = fc.array(piece, { minLength: 1, maxLength: 3 });
        const length = fc.constantFrom(500, 1_500, 10_000, 100_000);
        await fc.assert(
            fc.asyncProperty(hostile, length, async (pieces, mostCharacters) => {
                const text = pieces.join("").replaceAll("\\|", "|");
                const command = text.repeat(Math.floor(mostCharacters / text.length));
                expect(await consequencesOf(command)).to.be.an("array");
            }),
            { numRuns: 60 }
        );
        await fc.assert(
            fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 300 }), async (command) => {
                expect(await consequencesOf(command)).to.be.an("array");
            }),
            { numRuns: 50 }
        );
    });
});
