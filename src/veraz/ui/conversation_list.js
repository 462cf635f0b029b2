// Conversations to choose from: names are only text, whatever they say.
export default {
  template: `
    <ul class="talks" :aria-label="words.list">
      <li v-for="one in items" :key="one.id" :class="{ here: one.here }">
        <a :href="one.href" :aria-current="one.here ? 'page' : null">
          <q-icon :name="one.icon" :class="{ waits: one.waits }" role="img" :aria-label="one.icon_words" />
          <span class="talk-words">
            <span class="talk-title">{{ one.title }}</span>
            <span class="talk-more">{{ one.more }}</span>
          </span>
          <span v-if="one.unread" class="unread"><span class="sr-only">{{ words.unread }}</span></span>
        </a>
        <q-btn flat round dense size="sm" icon="more_vert" :aria-label="words.menu + ' ' + one.title">
          <q-menu auto-close>
            <q-list>
              <q-item clickable @click="$emit('rename', one.id)"><q-item-section>{{ words.rename }}</q-item-section></q-item>
              <q-item clickable @click="$emit('forget', one.id)"><q-item-section>{{ words.forget }}</q-item-section></q-item>
              <q-item v-if="one.outside" clickable @click="$emit('person', one.id)"><q-item-section>{{ words.person }}</q-item-section></q-item>
            </q-list>
          </q-menu>
        </q-btn>
      </li>
    </ul>`,
  props: { items: Array, words: Object },
  emits: ['rename', 'forget', 'person'],
  mounted() { this.$el.querySelector('.here')?.scrollIntoView({ block: 'nearest' }); },
};
