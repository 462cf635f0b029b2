// The line above every page: navigation, palette, project, light or dark, and one's account.
export default {
  props: { words: Object, home: String, drawer: Number, user: Object, projects: Array, project: String, languages: Object,
    leaving: String, own: String, cookies: Object },
  emits: ["dark"],
  template: `
    <div class="header-line">
      <q-btn flat round dense color="secondary" class="quiet" icon="menu" :aria-label="words.menu" :title="words.menu" @click="toggleDrawer" />
      <a class="nicegui-link brand" :href="home">
        <q-icon name="verified" color="primary" size="1.5rem" aria-hidden="true"></q-icon>
        <div>Veraz</div>
      </a>
      <q-space />
      <q-btn flat no-caps no-wrap color="secondary" class="palette-button" :aria-label="words.palette" @click="tell('palette')">
        <q-icon name="search" aria-hidden="true"></q-icon>
        <div class="gt-sm">{{ words.palette }}</div>
        <div class="gt-sm"><kbd>Ctrl</kbd> <kbd>K</kbd></div>
      </q-btn>
      <q-btn v-if="chosen" flat no-caps no-wrap color="secondary" class="quiet gt-xs ellipsis" style="max-width: 260px"
        icon="workspaces" :label="chosen.name" :aria-label="words.project">
        <q-menu auto-close>
          <q-item v-for="one in projects" :key="one.id" clickable role="menuitem" @click="choose(one)">
            <q-item-section>{{ one.name }}</q-item-section>
          </q-item>
        </q-menu>
      </q-btn>
      <q-btn flat round dense color="secondary" class="quiet" icon="contrast" :aria-label="words.dark" :title="words.dark" @click="$emit('dark')" />
      <q-btn flat round dense color="secondary" class="quiet" icon="account_circle" :aria-label="words.account" :title="words.account">
        <q-menu auto-close>
          <div class="q-px-md q-pt-sm text-bold">{{ user.name }}</div>
          <div class="q-px-md q-pb-sm quiet small">{{ user.email }}</div>
          <q-separator />
          <template v-if="projects.length > 1">
            <q-item v-for="one in projects" :key="one.id" clickable role="menuitem" class="lt-sm" @click="choose(one)">
              <q-item-section>{{ one.name }}</q-item-section>
            </q-item>
          </template>
          <q-item clickable role="menuitem" :href="own"><q-item-section>{{ words.own }}</q-item-section></q-item>
          <q-item clickable role="menuitem" @click="tell('shortcuts')"><q-item-section>{{ words.shortcuts }}</q-item-section></q-item>
          <q-item v-for="(name, language) in languages" :key="language" clickable role="menuitem" @click="speak(language)">
            <q-item-section>{{ name }}</q-item-section>
          </q-item>
          <q-item clickable role="menuitem" @click="leave"><q-item-section>{{ words.leave }}</q-item-section></q-item>
        </q-menu>
      </q-btn>
      <form ref="leave" method="post" :action="leaving"></form>
    </div>`,
  computed: {
    chosen() { return this.projects.find(one => one.id === this.project); },
  },
  methods: {
    toggleDrawer() { runMethod(this.drawer, "toggle", []); },
    tell(name) { emitEvent(name); },
    choose(project) { this.remember(this.cookies.project, project.id); location.href = this.home; },
    speak(language) {
      this.remember(this.cookies.language, language);
      location.href = location.pathname.replace(/^\/[a-z]+/, "/" + language) + location.search;
    },
    leave() { localStorage.clear(); this.$refs.leave.submit(); },
    remember(name, value) { document.cookie = `${name}=${value}; path=/; max-age=31536000; SameSite=Lax`; },
  },
};
