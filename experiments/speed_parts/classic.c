/* Classic War for two, as war_env plays it: 52 cards, three face-down, a seat that cannot pay for a war loses, winnings
   shuffled. The same streams and the same shuffles, so that the games are the same to the last card; the winner of a
   battle is found without a branch. Compiled at run time by the machine's own compiler, as a measure for the engine. */
#include <stdint.h>
#include <string.h>

#define GAMMA 0x9E3779B97F4A7C15ull
#define TOP_BIT (1ull << 63)
#define RING 64
#define MASK (RING - 1)
#define CARDS 52
#define STAKES 3
#define LIMIT 100000

static inline uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static inline uint64_t stream_start(uint64_t key, uint64_t index) { return mix(key + (index + 1) * GAMMA); }

static inline uint64_t next_word(uint64_t *state) { return mix(*state += GAMMA); }

/* Lemire's bounded integers, without bias. */
static inline uint64_t next_below(uint64_t *state, uint64_t bound) {
    uint64_t product = (next_word(state) >> 32) * bound;
    if ((uint32_t)product < bound) {
        uint32_t least = (uint32_t)(-(uint32_t)bound) % (uint32_t)bound;
        while ((uint32_t)product < least) product = (next_word(state) >> 32) * bound;
    }
    return product >> 32;
}

static void deal(uint64_t key, uint8_t rings[2][RING]) {
    uint8_t deck[CARDS];
    uint64_t state = stream_start(key, 0);
    for (int k = 0; k < CARDS; k++) deck[k] = (uint8_t)(k >> 2);
    for (int k = 0; k < CARDS; k++) {
        uint64_t other = k + next_below(&state, CARDS - k);
        uint8_t card = deck[other];
        deck[other] = deck[k];
        rings[k & 1][k >> 1] = card;
    }
}

/* One of two words, without a branch: the first where the mask is 0, the second where it is all ones. */
static inline uint64_t picked(uint64_t first, uint64_t second, uint64_t mask) { return first ^ ((first ^ second) & mask); }

/* Move what both laid behind the winner's cards, its own first, and shuffle it. */
static void take(uint8_t *won, const uint8_t *lost, uint64_t start, uint64_t other, uint64_t tail, uint64_t laid,
                 uint64_t *shuffles) {
    for (uint64_t k = 0; k < laid; k++) won[(tail + k) & MASK] = won[(start + k) & MASK];
    for (uint64_t k = 0; k < laid; k++) won[(tail + laid + k) & MASK] = lost[(other + k) & MASK];
    for (uint64_t left = 2 * laid; left > 1;) {
        uint64_t chosen = (tail + next_below(shuffles, left)) & MASK;
        left--;
        uint64_t last = (tail + left) & MASK;
        uint8_t card = won[last];
        won[last] = won[chosen];
        won[chosen] = card;
    }
}

/* sums: wins of seat 0, wins of seat 1, battles, comparisons, wars. What a battle changes stays in registers. */
static void play(uint64_t key, int64_t *sums) {
    uint8_t rings[2][RING];
    uint64_t shuffles[2] = {stream_start(key, 1), stream_start(key, 5)};
    uint64_t coins_0 = 1, coins_1 = 1, head_0 = 0, head_1 = 0, count_0 = CARDS / 2;
    int64_t battles = 0, comparisons = 0, wars = 0;
    deal(key, rings);
    while (count_0 - 1 < CARDS - 1 && battles < LIMIT) { /* each has a card */
        uint64_t a = rings[0][head_0], b = rings[1][head_1], count_1 = CARDS - count_0;
        battles++;
        comparisons++;
        if (__builtin_expect(a == b, 0)) {
            uint64_t poorer = count_0 < count_1 ? count_0 : count_1, laid = 1;
            while (a == b) {
                wars++;
                laid += STAKES + 1;
                if (laid > poorer) {
                    if (count_0 != count_1) sums[count_0 > count_1 ? 0 : 1]++;
                    goto done;
                }
                comparisons++;
                a = rings[0][(head_0 + laid - 1) & MASK];
                b = rings[1][(head_1 + laid - 1) & MASK];
            }
            uint64_t mask = -(uint64_t)(a < b), start = picked(head_0, head_1, mask);
            take(rings[mask & 1], rings[~mask & 1], start, head_0 ^ head_1 ^ start,
                 start + picked(count_0, count_1, mask), laid, &shuffles[mask & 1]);
            head_0 = (head_0 + laid) & MASK;
            head_1 = (head_1 + laid) & MASK;
            count_0 += (laid ^ mask) - mask;
        } else {
            uint64_t mask = -(uint64_t)(a < b);
            uint8_t *ring = rings[0] + (mask & RING);
            uint64_t coins = picked(coins_0, coins_1, mask), own = picked(a, b, mask);
            uint64_t tail = picked(head_0, head_1, mask) + picked(count_0, count_1, mask);
            if (__builtin_expect(coins == 1, 0)) coins = (next_word(&shuffles[mask & 1]) >> 1) | TOP_BIT;
            uint64_t coin = coins & 1;
            ring[(tail + coin) & MASK] = (uint8_t)own;
            ring[(tail + (coin ^ 1)) & MASK] = (uint8_t)(a ^ b ^ own);
            coins >>= 1;
            coins_0 = picked(coins, coins_0, mask);
            coins_1 = picked(coins_1, coins, mask);
            head_0 = (head_0 + 1) & MASK;
            head_1 = (head_1 + 1) & MASK;
            count_0 += 1 + mask + mask;
        }
    }
    if (battles < LIMIT || !count_0 || count_0 == CARDS) sums[count_0 ? 0 : 1]++;
done:
    sums[2] += battles;
    sums[3] += comparisons;
    sums[4] += wars;
}

void play_games(uint64_t lane, uint64_t first, uint64_t games, int64_t *sums) {
    memset(sums, 0, 5 * sizeof *sums);
    for (uint64_t k = 0; k < games; k++) play(stream_start(lane, first + k), sums);
}
