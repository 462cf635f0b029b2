// Groups of pages and, below the one that is open, its places.
export default {
  props: { words: String, groups: Array, current: String, waiting: Object },
  template: `
    <nav class="w-full" :aria-label="words">
      <template v-for="group in groups" :key="group.key">
        <a class="nicegui-link nav" :href="group.places[0].href" :data-go="group.key"
          :aria-current="group.places.length === 1 && open(group) ? 'page' : null">
          <q-icon :name="group.icon" aria-hidden="true"></q-icon>
          <div>{{ group.words }}</div>
          <div v-if="waiting && holds(group, '/attention')" class="badge" role="img" :title="waiting.words" :aria-label="waiting.words">{{ waiting.count }}</div>
        </a>
        <div v-if="group.places.length > 1" v-show="open(group)" class="nav-places">
          <a v-for="place in group.places" :key="place.path" class="nicegui-link nav place" :href="place.href"
            :aria-current="place.path === current ? 'page' : null"><div>{{ place.words }}</div></a>
        </div>
      </template>
    </nav>`,
  methods: {
    holds(group, path) { return group.places.some(place => place.path === path); },
    open(group) { return this.holds(group, this.current); },
  },
};
