import { expect } from "chai";
import { meetsCondition } from "../../../src/host/checks/hook-condition.js";

const RULE = "Bash(git push *)";

/** All of these push. */
const MET = [
    "git push origin main",
    "git push",
    "git pu'sh' origin",
    'git "push" origin',
    "git \\push origin",
    "g'i't push origin",
    "/usr/bin/git push origin",
    "/usr/bin/gi? push origin",
    "git -C . push origin",
    "git -c push.default=current -C . --no-pager push origin",
    "git {push,origin}",
    "x=push; git $x origin",
    "git $(echo push) origin",
    "git p${x}ush origin",
    "g=git; $g push origin",
    "$(echo git) push origin",
    'set -- git push origin; "$@"',
    'eval "$x"',
    'bash -c "$x"',
    "echo git push origin | bash",
    "bash <(echo git push origin)",
    "source <(echo git push origin)",
    "echo push | xargs git",
    "xargs -d'\\n' git push < names",
    "xargs -I% bash -c '%' < names",
    "env -S'git push origin'",
    "env -C sub git push origin",
    "nice -n5 git push origin",
    "sudo -uroot git push origin",
    "flock lock -c 'git push origin'",
    "bash -c -e 'git push origin'",
    "eval -- git push origin",
    "trap -- 'git push origin' EXIT",
    "coproc { git push origin; }",
    "gi\\\nt push origin",
    "cat <<E\n`git push origin`\nE",
    "cat <<-E\n\t$(git push origin)\n\tE",
    "echo ${x:-`git push origin`}",
    "echo `echo \\`git push origin\\``",
    "[[ -v 'a[$(git push origin)]' ]]",
    "let 'a[$(git push origin)]=1'",
    "printf -v 'a[$(git push origin)]' x",
    "x='a[$(git push origin)]'; echo $((x))",
    "x='$(git push origin)'; echo \"${x@P}\"",
    "EDITOR='sh -c \"git push origin\"' git commit",
    "git rebase --exec='git push origin' main",
    "tar -cf x.tar --checkpoint-action=exec='git push origin' x",
    "ssh -o ProxyCommand='git push origin' h",
    "git -c alias.p=push p origin",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p origin",
    "git config alias.p push",
    "alias g=git",
    "hash -p /usr/bin/git g; g push origin",
] as const;

const NOT_MET = [
    "git status",
    "git -c user.name=x commit -m x",
    "git config user.name x",
    "git log --oneline -5 push",
    "git commit -m 'git push *'",
    'git commit -m "$message"',
    "git add *.ts",
    "echo 'git push origin'",
    "grep -rn '$(git push)' src",
    "cat <<'E'\n`git push origin`\nE",
    "cat <<E\n\\`git push origin\\`\nE",
    "x='run $(git push origin)'; echo \"$x\"",
    'npm test -- "$file"',
    'for f in *.ts; do wc -l "$f"; done',
] as const;

describe("A permission rule of hooks and of a machine's policy", () => {
    const isMet = (command: string) =>
        meetsCondition(RULE, { tool_name: "Bash", tool_input: { command } }, "/project");

    for (const command of MET) {
        it(`${RULE} covers \`${command.replaceAll("\n", "⏎")}\``, async () => {
            expect(await isMet(command)).to.equal(true);
        });
    }

    for (const command of NOT_MET) {
        it(`${RULE} leaves out \`${command.replaceAll("\n", "⏎")}\``, async () => {
            expect(await isMet(command)).to.equal(false);
        });
    }

    for (const [rule, url] of [
        ["example.org", "https://example.org./x"],
        ["*.example.org", "https://www.EXAMPLE.org.:8443/"],
        ["Example.org", "https://example.org/"],
        ["bücher.example", "https://xn--bcher-kva.example/"],
        ["*.bücher.example", "https://www.b%C3%BCcher.example/"],
    ] as const) {
        it(`WebFetch(domain:${rule}) covers ${url}`, async () => {
            const call = { tool_name: "WebFetch", tool_input: { url } };
            const condition = `WebFetch(domain:${rule})`;
            expect(await meetsCondition(condition, call, "/project")).to.equal(true);
            const other = { tool_name: "WebFetch", tool_input: { url: "https://example.com/" } };
            expect(await meetsCondition(condition, other, "/project")).to.equal(false);
        });
    }
});
