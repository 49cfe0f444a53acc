"""What Gymnasium's own checkers demand of an environment's shapes, for machines where it is not installed."""


def check_env(env, actions):
    """reset and step have the signatures and types of gymnasium.Env (API of 0.26 and later)."""
    answer = env.reset(seed=7)
    assert isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict)
    for action in actions:
        answer = env.step(action)
        assert isinstance(answer, tuple) and len(answer) == 5
        _, reward, terminated, truncated, info = answer
        assert isinstance(reward, float) and type(terminated) is bool and type(truncated) is bool and isinstance(info, dict)
        assert not (terminated and truncated)
    assert isinstance(env.metadata, dict) and isinstance(env.render(), str)
    env.close()
    env.close()


def check_vec_env(envs, action):
    """As gymnasium.vector.VectorEnv: everything has one entry per slot."""
    assert envs.metadata["autoreset_mode"] in ("never", "next_step", "same_step")
    observations, infos = envs.reset(seed=3)
    assert len(observations) == envs.num_envs and isinstance(infos, dict)
    observations, rewards, terminations, truncations, infos = envs.step([action] * envs.num_envs)
    for column in (observations, rewards, terminations, truncations, *infos.values()):
        assert len(column) == envs.num_envs
    envs.close()
    envs.close()
