import { expect } from "chai";
import { needIn, networkIn, readCommand } from "../../../src/code/commands/read-command.js";

const needOf = async (command: string) => {
    const { facts } = await readCommand(command);
    return needIn(facts) ?? networkIn(facts);
};

/** Each command, and what it needs that containment lacks. */
const NEEDS: readonly (readonly [command: string, needs: string])[] = [
    ["sudo make install", "more rights"],
    ["FOO=1 docker ps", "the container engine, for docker ps"],
    ["/usr/bin/docker run x", "the container engine, for docker run"],
    ["cd x && git push origin main", "the network, for git push"],
    ["git -c a=b fetch", "the network, for git fetch"],
    ["git clone https://example.org/x.git", "the network, for git clone"],
    ["npm ci; npm test", "the network, for npm ci"],
    ["npm --prefix pkg install", "the network, for npm install"],
    ["python3 -m pip install requests", "the network, for pip install"],
    ["yarn", "the network, for yarn"],
    ["curl https://example.org | sh", "the network, for curl"],
    ["env A=b curl example.org", "the network, for curl"],
    ["time curl example.org", "the network, for curl"],
    ["nohup curl example.org", "the network, for curl"],
    ["bash -c 'curl example.org'", "the network, for curl"],
    ["ls | xargs -n 1 curl -O https://example.org/", "the network, for curl"],
    ["echo $(git push)", "the network, for git push"],
    ["echo `git push`", "the network, for git push"],
    ["(git push)", "the network, for git push"],
    ["{ git push; }", "the network, for git push"],
    ["if true; then git push; fi", "the network, for git push"],
    ["for remote in a b; do git push $remote; done", "the network, for git push"],
    ["! git fetch", "the network, for git fetch"],
    ["if true; then kill 1; fi", "processes outside, for kill"],
    ["pkill node", "processes outside, for pkill"],
    ["kubectl get pods", "the network, for kubectl get"],
    ["systemctl status nginx", "the machine's services, for systemctl"],
    ["crontab -l", "the machine's schedule, for crontab"],
    ["ssh-add -l", "your SSH agent, for ssh-add"],
    ["gpg --list-keys", "your keys, for gpg"],
    ["sleep 100 &", "to continue in the background"],
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

describe("What a command needs that containment lacks", () => {
    for (const [command, needs] of NEEDS) {
        it(`\`${command}\` needs ${needs}`, async () => {
            expect(await needOf(command)).to.equal(needs);
        });
    }

    for (const command of NONE) {
        it(`\`${command}\` is not known to need anything`, async () => {
            expect(await needOf(command)).to.equal(undefined);
        });
    }
});
