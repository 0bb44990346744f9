import { expect } from "chai";
import { needIn, networkIn, readCommand } from "../../../src/code/commands/read-command.js";

const needOf = async (command: string) => {
    const { facts } = await readCommand(command);
    return needIn(facts) ?? networkIn(facts);
};

/** Each command, and what it needs that containment lacks. */
const NEEDS: readonly (readonly [command: string, needs: string])[] = [
    ["sudo make install", "It needs more privileges"],
    ["FOO=1 docker ps", "docker ps needs the container engine"],
    ["/usr/bin/docker run x", "docker run needs the container engine"],
    ["cd x && git push origin main", "git push needs the network"],
    ["git -c a=b fetch", "git fetch needs the network"],
    ["git clone https://example.org/x.git", "git clone needs the network"],
    ["npm ci; npm test", "npm ci needs the network"],
    ["npm --prefix pkg install", "npm install needs the network"],
    ["python3 -m pip install requests", "pip install needs the network"],
    ["yarn", "yarn needs the network"],
    ["curl https://example.org | sh", "curl needs the network"],
    ["env A=b curl example.org", "curl needs the network"],
    ["time curl example.org", "curl needs the network"],
    ["nohup curl example.org", "curl needs the network"],
    ["bash -c 'curl example.org'", "curl needs the network"],
    ["ls | xargs -n 1 curl -O https://example.org/", "curl needs the network"],
    ["echo $(git push)", "git push needs the network"],
    ["echo `git push`", "git push needs the network"],
    ["(git push)", "git push needs the network"],
    ["{ git push; }", "git push needs the network"],
    ["if true; then git push; fi", "git push needs the network"],
    ["for remote in a b; do git push $remote; done", "git push needs the network"],
    ["! git fetch", "git fetch needs the network"],
    ["if true; then kill 1; fi", "kill acts on other processes"],
    ["pkill node", "pkill acts on other processes"],
    ["kubectl get pods", "kubectl get needs the network"],
    ["systemctl status nginx", "systemctl needs the machine's services"],
    ["crontab -l", "crontab needs the machine's schedule"],
    ["ssh-add -l", "ssh-add needs your SSH agent"],
    ["gpg --list-keys", "gpg needs your keys"],
    ["sleep 100 &", "Runs in the background as a job"],
];

const NONE: readonly string[] = [
    "git status",
    "git commit -m 'push it'",
    'git commit -m "Stop the timer; kill it later"',
    "git clone ../other copy",
    "cat <<'E' > notes.md\ncurl is not used\ndocker run x\nE",
    "# curl https://example.org",
    "ls # git push",
    'grep -n "foo; curl bar" a.txt',
    'grep -rnE "foo|docker|curl" src',
    "sed 's|docker|podman|' x",
    'python3 -c "x = 1; kill = 2"',
    "docker --version",
    "aws --version",
    "kubectl --help",
    "npm install --help",
    "npm install --offline",
    "npm run install-fixtures",
    "kill -0 $$",
    "kill -l",
    "node server.js & sleep 1; curl http://localhost:3000; kill $!",
    "helm template chart",
    "terraform validate",
    "go install ./cmd/tool",
    "ls && pwd",
    "make 2>&1",
    "echo docker",
    "command -v curl",
    "npm test",
];

/** May work contained, with hosts that are allowed. */
const REACHES: readonly string[] = [
    "git fetch",
    "git pull --rebase",
    "git ls-remote origin",
    "apt-get download hello",
    "apt-get source hello",
    "npm ci",
    "go get example.org/x",
];

const REAL: readonly string[] = [
    "git push",
    "git clone https://example.org/x.git",
    "git fetch git@example.org:x.git",
    "git pull ssh://example.org/x.git",
    "apt-get install hello",
    "apt-get update",
];

describe("What a command needs that containment lacks", () => {
    for (const [command, needs] of NEEDS) {
        it(`\`${command}\`: ${needs}`, async () => {
            expect(await needOf(command)).to.equal(needs);
        });
    }

    for (const command of REACHES) {
        it(`\`${command}\` reaches hosts and is not known to need more`, async () => {
            const { facts } = await readCommand(command);
            expect(needIn(facts)).to.equal(undefined);
            expect(networkIn(facts)).to.match(/ needs the network$/);
        });
    }

    for (const command of REAL) {
        it(`\`${command}\` is known to need more than hosts`, async () => {
            expect(needIn((await readCommand(command)).facts)).to.match(/ needs /);
        });
    }

    for (const command of NONE) {
        it(`\`${command}\` is not known to need anything`, async () => {
            expect(await needOf(command)).to.equal(undefined);
        });
    }
});
