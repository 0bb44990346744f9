// Rules of this house, which Oxlint loads as a plugin.
/** A rule that reports what a selector finds. */
const forbid = (selector, message) => ({
    create: (context) => ({ [selector]: (node) => context.report({ node, message }) }),
});

export default {
    meta: { name: "house" },
    rules: {
        "no-timer-in-race": forbid(
            "CallExpression[callee.object.name='Promise'][callee.property.name='race'] " +
                "CallExpression[callee.name=/^(setTimeout|sleep)$/]",
            "The timer outlives the race; use within of base."
        ),
        "no-new-environment": forbid(
            "AssignmentExpression[left.object.name='process'][left.property.name='env']",
            "Node reads some variables from the process itself; change them one by one."
        ),
        "no-timer-of-node": forbid(
            "ImportDeclaration[source.value='node:timers/promises'] [imported.name='setTimeout']",
            "Use sleep of base."
        ),
    },
};
