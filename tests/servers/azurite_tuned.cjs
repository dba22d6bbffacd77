// Loaded before Azurite: nothing here changes what it answers, only how long it takes among many blobs.

// Every ten minutes it collects its garbage, comparing every extent with every other, and answers nobody meanwhile:
// minutes, after a test has written ten thousand blobs. A throw-away server needs none of that.
require('azurite/dist/src/blob/utils/constants').DEFAULT_GC_INTERVAL_MS = 24 * 60 * 60 * 1000;

// It asks for {account, container, name}, and its database looks the first of them up in an index, which all blobs
// share, and walks through what is left. With the name first, what is left is one blob.
const collection = Object.getPrototypeOf(new (require('lokijs'))('').addCollection('any'));
for (const method of ['find', 'findOne']) {
    const ask = collection[method];
    collection[method] = function (query, ...rest) {
        return ask.call(this, query && typeof query.name === 'string' ? { name: query.name, ...query } : query, ...rest);
    };
}
